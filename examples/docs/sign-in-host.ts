/** A host whose person signs in to servers that want it. */
// #region host
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Connection, type Inbox, memoryVault, urlTarget, vaultFolder } from '@midcall/host';

export function withSignIn(url: string, inbox: Inbox, remember = true) {
  const vault = remember ? vaultFolder(join(homedir(), '.config', 'my-host', 'sign-ins')) : memoryVault();
  return new Connection(
    { id: 'notes', target: urlTarget(url) },
    { client: { name: 'my-host', version: '1.0.0' }, inbox, authorization: { vault } },
  );
}
// #endregion
