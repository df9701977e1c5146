# An image with the program and nothing else; docs/install.md says how to use it.
FROM golang:1.26-alpine AS build
WORKDIR /source
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o /image/usr/bin/toolscript ./cmd/toolscript \
 && mkdir -p /image/tmp /image/home/nonroot && chmod 1777 /image/tmp && chown 65532:65532 /image/home/nonroot \
 && mkdir -p /image/licenses && cp --parents LICENSE NOTICE $(find . -path '*/licenses/*' -type f) /image/licenses

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /image /
USER 65532:65532
ENV HOME=/home/nonroot
WORKDIR /home/nonroot
ENTRYPOINT ["/usr/bin/toolscript"]
