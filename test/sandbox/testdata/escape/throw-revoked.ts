// engine: both
// expect: ^exit 1\nerror threw executing 
// A proxy is thrown that is no more.
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
throw proxy
