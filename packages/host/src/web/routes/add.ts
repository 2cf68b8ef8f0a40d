/**
 * Puts servers on the desk: by what a person enters, by the lists of other hosts, and by packages of npm.
 *
 * - add-N1 A package that was entered by its name is run only after the person has confirmed its exact name and version.
 * - add-N2 The lists of other hosts are read only when the person asks for it. The values of their secrets are in no page, and are
 *   copied only where the person has ticked that.
 */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { isMidcallError, MidcallError, messageOf } from '@midcall/core/errors';
import { limitedFetch } from '@midcall/core/fetch';
import { isRecord } from '@midcall/core/json';
import type { Hono } from 'hono';
import {
  commandTarget,
  commandWords,
  hostConfigs,
  type ListedServer,
  readServerList,
  type ServerEntry,
  serverName,
} from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import {
  addPage,
  type FoundList,
  hostsPage,
  type Imported,
  importedPage,
  type NeedyServer,
  packagePage,
  serverPath,
  valuesPage,
} from '../pages/index.ts';
import { texts } from '../texts/index.ts';
import { secretsOf, targetOf, understand } from '../workspace/index.ts';
import { type Desk, posted, redirect, show, viewOf } from './context.ts';

type Values = Readonly<Record<string, string>>;

/** A server that was read, or how to read it once its values are known. */
interface Pending extends NeedyServer {
  readonly read: (values: Values) => ListedServer;
}

/** A list of another host is not larger. */
const mostBytes = 4_000_000;

/** The beginning of a file that may be somebody else's; undefined if there is none. @throws what the system says */
async function beginningOf(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > mostBytes) throw new Error(`it has more than ${mostBytes} bytes`);
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** A server whose secrets stay with the host that has them: the person is asked for each. */
function withoutSecrets(id: string, read: (values: Values) => ListedServer, missing: NeedyServer['missing']): Pending {
  const blanks = Object.fromEntries(missing.map(({ name }) => [name, '']));
  const listed = read(blanks);
  const names = 'entry' in listed ? Object.keys(secretsOf(listed.entry.target)) : [];
  const inCommand = missing.filter(each => each.inCommand);
  return {
    id,
    missing: [...inCommand, ...names.map(name => ({ name, isSecret: true, inCommand: false }))],
    read: values => {
      const filledIn = read({ ...blanks, ...values });
      if (!('entry' in filledIn)) return filledIn;
      const { entry } = filledIn;
      const own = Object.fromEntries(names.flatMap(name => (values[name] ? [[name, values[name]] as const] : [])));
      const target = entry.target.kind === 'url' ? { ...entry.target, headers: own } : { ...entry.target, env: own };
      return { id, entry: { ...entry, target } };
    },
  };
}

/** One version of a package. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The author's words; untrusted. */
  readonly description?: string;
  /** Why it should not be used any more, in the author's words; untrusted. */
  readonly deprecated?: string;
}

/** A description of a package is not larger. */
const mostPackageBytes = 5_000_000;
const answerMs = 15_000;

/** True for one version, and no range or tag. */
const isExactVersion = (text: string): boolean => /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(text);

/**
 * Asks the registry that npm uses.
 * @param wanted - a version or a tag
 * @param environment - may name the registry, as for npm
 * @throws MidcallError `host/not-found` if there is no such package, or the registry cannot be reached
 */
async function findPackage(
  name: string,
  wanted: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<NpmPackage> {
  const registry = environment['npm_config_registry'] ?? 'https://registry.npmjs.org';
  const address = `${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/${encodeURIComponent(wanted)}`;
  let answer: unknown;
  try {
    const response = await limitedFetch(fetch, { mostBytes: mostPackageBytes })(address, {
      signal: AbortSignal.timeout(answerMs),
    });
    if (response.status === 404) throw new MidcallError('host/not-found', texts.add.noPackage(name, wanted));
    if (!response.ok) throw new Error(`${response.status}`);
    answer = await response.json();
  } catch (cause) {
    if (cause instanceof MidcallError) throw cause;
    throw new MidcallError('host/not-found', texts.add.registryAway(name), { cause });
  }
  const { version, description, deprecated } = isRecord(answer) ? answer : {};
  if (!isRecord(answer) || answer['name'] !== name || typeof version !== 'string' || !isExactVersion(version))
    throw new MidcallError('host/not-found', texts.add.registryAway(name));
  return {
    name,
    version,
    ...(typeof description === 'string' && { description }),
    ...(typeof deprecated === 'string' && { deprecated }),
  };
}

export function addRoutes(app: Hono, desk: Desk): void {
  const { workspace, guard, environment } = desk;
  const { servers } = workspace;

  /** True for the name of a program that this machine has. */
  const isProgram = (word: string): boolean => {
    const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
    const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter).filter(Boolean);
    return folders.some(folder => endings.some(ending => existsSync(join(folder, `${word}${ending}`))));
  };
  const understoodIn = (draft: Draft) => understand(first(draft, 'what') ?? '', isProgram);

  /** The outcome of the last list of servers, and those of it that wait for values. */
  let imported: readonly Imported[] = [];
  let waiting: readonly Pending[] = [];

  /** Puts a server on the desk, and does not wait for it: its page shows how it starts. @returns its name there */
  const put = async (entry: ServerEntry): Promise<string> => {
    const id = servers.freeId(entry.id);
    void servers.add({ ...entry, id }).catch(() => {});
    await servers.keep(id);
    return id;
  };

  const putListed = async (listed: ListedServer): Promise<Imported> =>
    'problem' in listed ? { id: listed.id, problem: listed.problem } : { id: await put(listed.entry) };

  /** Adds what is complete. @returns where to go on: to what is missing, or to what became of them */
  const putAll = async (all: readonly (ListedServer | Pending)[]): Promise<string> => {
    waiting = all.filter((each): each is Pending => 'read' in each);
    imported = [];
    for (const each of all) if (!('read' in each)) imported = [...imported, await putListed(each)];
    return waiting.length > 0 ? '/add/values' : '/imported';
  };

  /** How an entry of a list is read again once the values that it leaves open are known. */
  const readAgain =
    (text: string, id: string) =>
    (values: Values): ListedServer =>
      readServerList(text, { ...environment, ...values }).find(each => each.id === id)!;

  /** @throws MidcallError `cli/usage` if the text is no list of servers */
  const listedIn = (text: string): readonly (ListedServer | Pending)[] =>
    readServerList(text, environment).map(each =>
      'problem' in each && each.missing ? { id: each.id, missing: each.missing, read: readAgain(text, each.id) } : each,
    );

  app.get('/add', context => show(context, desk, addPage(guard)));

  app.post('/add/check', context => {
    const draft = posted(context);
    return show(context, desk, addPage(guard, { draft, understood: understoodIn(draft) }));
  });

  app.post('/add', async context => {
    const draft = posted(context);
    const understood = understoodIn(draft);
    try {
      switch (understood.kind) {
        case 'config':
          return redirect(context, desk, await putAll(listedIn(whole(first(draft, 'what') ?? ''))));
        case 'package': {
          const found = await findPackage(understood.name, understood.version, environment);
          return show(context, desk, packagePage(found, understood.args.map(quoted).join(' '), guard));
        }
        case 'command':
        case 'url': {
          const what: readonly (readonly [string, readonly string[]])[] =
            understood.kind === 'url' ? [['what', [understood.url]]] : [];
          const target = targetOf(new Map<string, readonly string[]>([...draft, ...what, ['by', [understood.kind]]]));
          const name = (first(draft, 'name') ?? '').trim();
          return redirect(
            context,
            desk,
            serverPath(await put({ id: name === '' ? serverName(target) : name, target })),
          );
        }
        default:
          throw new MidcallError('cli/usage', understood.kind === 'wrong' ? understood.why : texts.add.label);
      }
    } catch (error) {
      if (!isMidcallError(error)) throw error;
      return show(context, desk, addPage(guard, { draft, understood, wrong: error.message }), 422);
    }
  });

  app.post('/add/package', async context => {
    const draft = posted(context);
    const [name, version] = [first(draft, 'name') ?? '', first(draft, 'version') ?? ''];
    const understood = understand(`${name}@${version}`, () => false);
    const isExact = understood.kind === 'package' && understood.name === name && isExactVersion(version);
    if (!isExact) return show(context, desk, addPage(guard, { wrong: texts.add.package.notExact }), 422);
    const target = commandTarget(['npx', '-y', `${name}@${version}`, ...commandWords(first(draft, 'args') ?? '')]);
    return redirect(context, desk, serverPath(await put({ id: serverName(target), target })));
  });

  app.get('/add/values', context =>
    waiting.length === 0 ? redirect(context, desk, '/add') : show(context, desk, valuesPage(waiting, guard)),
  );

  app.post('/add/values', async context => {
    const draft = posted(context);
    const names = [...new Set(waiting.flatMap(({ missing }) => missing.map(({ name }) => name)))];
    const values = Object.fromEntries(names.map((name, at) => [name, first(draft, `v${at}`) ?? '']));
    const all = waiting;
    waiting = [];
    for (const each of all) imported = [...imported, await putListed(each.read(values))];
    return redirect(context, desk, '/imported');
  });

  /** add-N2. The lists of other hosts, with the text of each. */
  const readHosts = async (): Promise<readonly (FoundList & { readonly text: string })[]> => {
    const found = await Promise.all(
      hostConfigs(environment).map(async ({ host, path }) => {
        try {
          const text = await beginningOf(path);
          const isList = text !== undefined && /"(?:mcpServers|servers|context_servers)"\s*:/.test(text);
          if (!isList) return [];
          const entries = readServerList(text, environment).map(each => {
            if (!('problem' in each)) return { id: each.id, entry: each.entry, needs: [] };
            const blanks = each.missing && Object.fromEntries(each.missing.map(({ name }) => [name, '']));
            const listed = blanks && readAgain(text, each.id)(blanks);
            if (!listed || !('entry' in listed)) return { id: each.id, problem: each.problem };
            return { id: each.id, entry: listed.entry, needs: each.missing!.map(({ name }) => name) };
          });
          return [{ host, path, text, entries }];
        } catch (error) {
          const why = messageOf(error);
          return [{ host, path, text: '', entries: [{ id: host, problem: texts.add.hosts.unread(why) }] }];
        }
      }),
    );
    return found.flat();
  };

  app.post('/add/hosts', async context => show(context, desk, hostsPage(await readHosts(), guard)));

  app.post('/add/hosts/chosen', async context => {
    const draft = posted(context);
    const [chosen, copied] = ['server', 'secrets'].map(name => new Set(draft.get(name) ?? []));
    const lists = await readHosts();
    const all = lists.flatMap(({ text, entries }, at) =>
      entries.flatMap(each => {
        const key = JSON.stringify([at, each.id]);
        if (!chosen!.has(key) || !('entry' in each)) return [];
        const read = readAgain(text, each.id);
        const [listed] = listedIn(text).filter(({ id }) => id === each.id);
        const missing = listed && 'missing' in listed && listed.missing ? listed.missing : [];
        const hasSecrets = Object.keys(secretsOf(each.entry.target)).length > 0;
        if (hasSecrets && !copied!.has(key)) return [withoutSecrets(each.id, read, missing)];
        return listed ? [listed] : [];
      }),
    );
    if (all.length === 0) return show(context, desk, hostsPage(lists, guard));
    return redirect(context, desk, await putAll(all));
  });

  app.get('/imported', context =>
    imported.length === 0 ? redirect(context, desk, '/add') : show(context, desk, importedPage(imported, viewOf(desk))),
  );
}

/** A list of servers without the braces around it, as from the middle of a file, with them. */
const whole = (text: string): string => (/^\s*"/.test(text) ? `{${text.replace(/,\s*$/, '')}}` : text);

/** A word as it has to be entered to stay one word. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`);
