import type { Interception } from '@midcall/core/sdk-seam';

/** Two taps of the same transport, the second one closer to the wire. */
export const stacked = (upper: Required<Interception>, lower: Required<Interception>): Required<Interception> => ({
  incoming: (message, deliver) => lower.incoming(message, seen => upper.incoming(seen, deliver)),
  outgoing: (message, send, sendApart) =>
    upper.outgoing(
      message,
      each => lower.outgoing(each, send, sendApart),
      (each, own) => lower.outgoing(each, apart => sendApart(apart, own), sendApart),
    ),
});
