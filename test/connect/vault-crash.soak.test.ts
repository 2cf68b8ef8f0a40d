/** Credentials across processes that are killed, in full counts. */
import { describe, it } from 'vitest';
import { kinds, onShared } from './shared-store.ts';
import { killAtVault, readBesideWriters } from './vault-crash.ts';

const kills = Number(process.env['MIDCALL_KILLS'] ?? 500);

describe.each(kinds)('%s', kind => {
  it(`vault-V3: ${kills} processes killed with SIGKILL while they replace credentials lose none that was acknowledged`, () =>
    onShared(kind, shared => killAtVault(shared, { kills })));

  it('vault-V3: 5,000 reads beside processes that replace credentials never find none', () =>
    onShared(kind, shared => readBesideWriters(shared, { reads: 5_000 })));
});
