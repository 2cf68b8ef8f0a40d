/** Credentials that are replaced by processes which are killed, and read beside processes which replace them. */
import { describe, it } from 'vitest';
import { inSoak } from '../fixtures/soak.ts';
import { kinds, onShared } from './shared-store.ts';
import { killAtVault, readBesideWriters } from './vault-crash.ts';

describe.each(kinds)('%s', kind => {
  it('vault-V3: a process killed with SIGKILL while it replaces a credential loses none that was acknowledged, and leaves no row behind', () =>
    onShared(kind, shared => killAtVault(shared, { kills: inSoak(10, 4) })));

  it('vault-V3: a reader beside processes that replace a credential never finds none', () =>
    onShared(kind, shared => readBesideWriters(shared, { reads: inSoak(300, 100) })));
});
