/** How a host reaches a server. */
import { isRecord, isTexts } from '@midcall/core/json';
import {
  anything,
  checkKind,
  checkOptions,
  count,
  flag,
  func,
  having,
  type Kind,
  type Kinds,
  name,
  oneOf,
  parts,
  positive,
  required,
} from '@midcall/core/options';
import { type AttachOptions, attachKinds } from '../attach/index.ts';
import type { GrantVault } from '../authorization/index.ts';
import { type Era, eras } from '../base/index.ts';
import type { ServerEntry } from '../servers/index.ts';
import type { StartedServer } from './started-server.ts';

/** How a server is reached, and who answers for its client. */
export interface ConnectionOptions extends Omit<AttachOptions, 'server'> {
  /** The name by which servers know this host. */
  readonly client: { readonly name: string; readonly version: string; readonly title?: string };
  /** Default `auto`: 2026-07-28 if the server speaks it, else 2025-11-25. */
  readonly era?: 'auto' | Era;
  /** How many rounds a call may take on 2026-07-28. Default 50: people fill in long wizards. */
  readonly maxRounds?: number;
  /** How many milliseconds to wait for the server to start. Default 60,000: some are installed first. */
  readonly startTimeoutMs?: number;
  /**
   * Called once per start if the server has not answered for 10 seconds, with a message for the person that repeats what the
   * server has written; it may only be slow.
   */
  readonly onSilent?: (message: string) => void;
  /** Milliseconds of a server's own time per call; see `Attachment.run`. Default 60,000. */
  readonly callTimeoutMs?: number;
  /** The largest message of the server, in bytes; a larger one ends the connection. Default 10,485,760 (10 MiB). */
  readonly maxMessageBytes?: number;
  /** Makes the requests to a server that is reached over HTTP. */
  readonly fetch?: typeof fetch;
  /**
   * Where sign-ins to servers are kept, for the `principal` (default `local`: the person at this machine). Without it, or if
   * its entry has an `Authorization` header, a server that wants a sign-in is not reached.
   */
  readonly authorization?: { readonly vault: GrantVault };
  /** The process of a command, if it was started in advance; used for the first start. */
  readonly started?: StartedServer;
}

/** Who and what answers for the client of a connection. */
export function attachOptionsOf({
  client,
  era,
  maxRounds,
  startTimeoutMs,
  onSilent,
  callTimeoutMs,
  maxMessageBytes,
  fetch,
  started,
  authorization,
  ...attached
}: ConnectionOptions): Omit<AttachOptions, 'server'> {
  return attached;
}

const targetKind: Kind = {
  words:
    "a command, { kind: 'command', command: 'node', args: ['server.js'] }, or an address, { kind: 'url', url: 'https://…' }; " +
    'see commandTarget(…) and urlTarget(…)',
  fits: value =>
    isRecord(value) &&
    (value['kind'] === 'command'
      ? typeof value['command'] === 'string' && isTexts(value['args'])
      : value['kind'] === 'url' && typeof value['url'] === 'string'),
};

const entryKinds: Kinds<ServerEntry> = {
  id: required(name),
  target: required(targetKind),
  shared: flag,
  disabled: flag,
  listedIn: name,
};

const { server: _, ...attached } = attachKinds;
const connectionKinds: Kinds<ConnectionOptions> = {
  ...attached,
  client: required(
    parts<ConnectionOptions['client']>({ name: required(name), version: required(name), title: anything }),
  ),
  era: oneOf('auto', ...eras),
  maxRounds: count,
  startTimeoutMs: positive,
  onSilent: func,
  callTimeoutMs: positive,
  maxMessageBytes: count,
  fetch: func,
  authorization: parts<NonNullable<ConnectionOptions['authorization']>>({
    vault: required(having('a vault of sign-ins, such as vaultFolder(…) or memoryVault()', 'read', 'change')),
  }),
  started: anything,
};

/** @throws TypeError for an entry or an option that is missing, unknown or wrong */
export function checkConnection(entry: ServerEntry, options: ConnectionOptions): void {
  checkKind('new Connection', 'the first argument', entry, {
    words: "a server: { id: 'notes', target: commandTarget(['node', 'server.js']) }",
    fits: isRecord,
  });
  checkOptions('new Connection', entry, entryKinds);
  checkOptions('new Connection', options, connectionKinds);
}
