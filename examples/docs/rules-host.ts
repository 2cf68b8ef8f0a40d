/** A host with rules about calls, in `docs/rules.md`. */
// #region host
import { Connection, type ConnectionOptions, Rules, rulesFile, type ServerEntry } from '@midcall/host';

/** Asks the person before the calls that the file says. */
export function withRules(entry: ServerEntry, path: string, options: ConnectionOptions): Connection {
  const rules = new Rules({ rules: rulesFile(path, { onError: console.error }) });
  return new Connection(entry, { ...options, rules });
}
// #endregion
