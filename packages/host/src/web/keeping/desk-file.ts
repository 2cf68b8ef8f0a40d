/**
 * What a desk stores between two runs, in files that only their owner can read: its servers and the person's settings.
 *
 * - desk-file-F1 The values of environment variables and headers are not in the file itself but, sealed, in a second one.
 * - desk-file-F2 Each change is read, made and written while no other process does so; a crash leaves the state before it or
 *   after it.
 * - desk-file-F3 A value that cannot be opened is left out; the rest is kept.
 */
import { defined, fromJson, isRecord } from '@midcall/core/json';
import { fileChanges, ownerFile, type ServerEntry } from '../../index.ts';
import { type PreferencesRecord, readPreferences } from './preferences.ts';
import { type RememberedOffers, readRememberedOffers } from './remembered-offers.ts';

/** What a desk stores. */
export interface DeskRecord {
  /** In the order they are shown. */
  readonly servers: readonly ServerEntry[];
  readonly preferences: PreferencesRecord;
  /** The names of what the servers offered last. */
  readonly offers?: RememberedOffers;
}

/** Where a desk stores it. */
export interface DeskMemory {
  /** @throws MidcallError `cli/usage` for a file that cannot be read or parsed */
  read(): Promise<DeskRecord>;
  /** Changes it while no other process does so. @throws MidcallError as {@link read} does; what the system says */
  change(make: (record: DeskRecord) => DeskRecord): Promise<void>;
}

/** Encrypts text, so that only the holder of the key can read it. */
export interface SecretBox {
  readonly seal: (text: string) => string;
  /** @returns undefined for text that cannot be opened */
  readonly open: (sealed: string) => string | undefined;
}

type Texts = Readonly<Record<string, string>>;

/** A server as it is written: of secrets, only the names. */
interface WrittenServer {
  readonly id: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly url?: string;
  readonly headersFile?: string;
  readonly secrets?: readonly string[];
  /** True if it is started only when the person asks for it. */
  readonly disabled?: true;
}

interface WrittenDesk {
  readonly servers: readonly WrittenServer[];
  readonly preferences: unknown;
  readonly offers?: unknown;
}

interface WrittenSecrets {
  readonly sealed: string;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isServer(value: unknown): value is WrittenServer {
  if (!isRecord(value)) return false;
  const { id, command, args, cwd, url, headersFile, secrets } = value;
  const reached = isText(command) ? url === undefined && areTexts(args ?? []) : isText(url) && URL.canParse(url);
  return (
    isText(id) &&
    id !== '' &&
    reached &&
    (cwd === undefined || isText(cwd)) &&
    (headersFile === undefined || isText(headersFile)) &&
    areTexts(secrets ?? [])
  );
}

const isDesk = (value: unknown): value is WrittenDesk =>
  isRecord(value) && Array.isArray(value['servers']) && value['servers'].every(isServer);

const isSecrets = (value: unknown): value is WrittenSecrets => isRecord(value) && isText(value['sealed']);

/** The setting of how a host signs in is stored under this name, which no header and no variable can have. */
const authName = 'auth:';

const secretsOf = ({ target }: ServerEntry): Texts =>
  target.kind === 'command'
    ? (target.env ?? {})
    : { ...target.headers, ...(target.auth && { [authName]: JSON.stringify(target.auth) }) };

function written(entry: ServerEntry): WrittenServer {
  const { id, target, disabled } = entry;
  const names = Object.keys(secretsOf(entry));
  const secrets = { ...(names.length > 0 && { secrets: names }), ...(disabled && { disabled }) };
  if (target.kind === 'url')
    return { id, url: target.url, ...defined({ headersFile: target.headersFile }), ...secrets };
  const { command, args, cwd } = target;
  return { id, command, args, ...(cwd !== undefined && { cwd }), ...secrets };
}

const secretValues = ({ servers }: DeskRecord): Readonly<Record<string, Texts>> =>
  Object.fromEntries(
    servers.map(entry => [entry.id, secretsOf(entry)] as const).filter(([, all]) => Object.keys(all).length > 0),
  );

function entryOf(
  { id, command, args = [], cwd, url, headersFile, secrets = [], disabled }: WrittenServer,
  values: Texts,
): ServerEntry {
  const ownSecrets = secrets.filter(name => Object.hasOwn(values, name)).map(name => [name, values[name]!] as const);
  const switchedOff = disabled === true ? { disabled } : {};
  const own = ownSecrets.length > 0 ? Object.fromEntries(ownSecrets) : undefined;
  if (command === undefined) {
    const { [authName]: auth, ...rest } = own ?? {};
    const headers = Object.keys(rest).length > 0 ? rest : undefined;
    const signIn =
      auth === undefined ? undefined : (JSON.parse(auth) as (ServerEntry['target'] & { kind: 'url' })['auth']);
    const target = { kind: 'url' as const, url: url!, ...defined({ headers, headersFile, auth: signIn }) };
    return { id, target, ...switchedOff };
  }
  const target = {
    kind: 'command' as const,
    command,
    args,
    ...(own && { env: own }),
    ...(cwd !== undefined && { cwd }),
  };
  return { id, target, ...switchedOff };
}

/** Reads the values of the variables or headers of each server. Anything else is ignored. */
function readSecrets(text: string | undefined): Readonly<Record<string, Texts>> {
  const all = fromJson(text ?? '{}');
  if (!isRecord(all)) return {};
  const entries = Object.entries(all).filter(([, values]) => isRecord(values) && Object.values(values).every(isText));
  return Object.fromEntries(entries) as Record<string, Texts>;
}

/**
 * Stores a desk in two files, for {@link DeskOptions.memory}.
 * @param path - of the file with everything but secrets; the one with secrets is beside it, named `….sealed.json`
 * @param box - seals the secrets
 * @example
 * ```ts
 * const desk = await startDesk({ ...parts, memory: deskFile('/home/ada/.config/my-host/desk.json', box) });
 * ```
 */
export function deskFile(path: string, box: SecretBox): DeskMemory {
  const file = ownerFile(path, 'a desk', isDesk);
  const secretsFile = ownerFile(path.replace(/(\.json)?$/, '.sealed.json'), 'sealed secrets', isSecrets);
  const understood = (desk: WrittenDesk | undefined, secrets: WrittenSecrets | undefined): DeskRecord => {
    const values = readSecrets(secrets && box.open(secrets.sealed));
    return {
      servers: (desk?.servers ?? []).map(server => entryOf(server, values[server.id] ?? {})),
      preferences: readPreferences(desk?.preferences),
      offers: readRememberedOffers(desk?.offers),
    };
  };
  const changed = async (make: (record: DeskRecord) => DeskRecord): Promise<void> => {
    const [desk, secrets] = [await file.read(), await secretsFile.read()];
    const before = understood(desk, secrets);
    const next = make(before);
    const [old, values] = [secretValues(before), secretValues(next)];
    const writeSecrets = (all: Readonly<Record<string, Texts>>) =>
      secretsFile.write({ sealed: box.seal(JSON.stringify(all)) });
    const any = secrets !== undefined || Object.keys(values).length > 0;
    // A secret is written before the file names it, and removed only after.
    if (any) await writeSecrets({ ...old, ...values });
    const isListed = ([id]: readonly [string, unknown]): boolean => next.servers.some(server => server.id === id);
    await file.write({
      servers: next.servers.map(written),
      preferences: next.preferences,
      offers: Object.fromEntries(Object.entries(next.offers ?? {}).filter(isListed)),
    });
    if (Object.keys(old).some(id => !Object.hasOwn(values, id))) await writeSecrets(values);
  };
  const change = fileChanges(path);
  return {
    read: async () => understood(await file.read(), await secretsFile.read()),
    change: make => change(() => changed(make)),
  };
}
