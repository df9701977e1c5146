// engine: both
// expect: ^exit 1\nerror threw executing 
// A revoked proxy is thrown.
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
throw proxy
