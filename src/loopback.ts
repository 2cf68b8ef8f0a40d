/** True for a host that is this machine: `localhost` or an address of loopback, an IPv6 one with or without brackets. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/u.test(host);
