/** What is done in memory while a server starts. The bridge ignores its errors, since the real handshake would report them. */
import { expect, it } from 'vitest';
import { rehearse } from '../../packages/midcall/src/bridge/stdio/rehearsal.ts';

it.each([undefined, 'auto', '2025-11-25', '2026-07-28'] as const)(
  'the rehearsal comes to its end where the revision of the real server is negotiated as %s',
  async era => expect(await rehearse(era)).toBeUndefined(),
);
