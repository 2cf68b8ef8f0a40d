/**
 * The pages that put servers on the desk: one box for what is known of them, what has to be confirmed or asked, and what became of
 * each server of an mcp.json. Pure.
 */
import { attributes, type Html, html } from '@midcall/core/page';
import { type MissingValue, mask, originOf, type ServerEntry } from '../../index.ts';
import { type Draft, first } from '../form/index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import { type DeskView, type ServerView, type Session, secretsOf, type Understood } from '../workspace/index.ts';
import { buttonForm } from './button-form.ts';
import type { Content } from './layout.ts';
import { serverPath } from './paths.ts';
import { serverCounts, serverTrouble } from './server-parts.ts';

const own = texts.add;

function understoodText(understood: Understood): string {
  switch (understood.kind) {
    case 'nothing':
      return own.examples;
    case 'config':
      return own.understood.config;
    case 'url':
      return own.understood.url(understood.url);
    case 'command':
      return own.understood.command(understood.program);
    case 'package':
      return own.understood.package(understood.name);
    case 'wrong':
      return understood.why;
  }
}

const goes: Partial<Record<Understood['kind'], string>> = {
  command: texts.servers.start,
  url: texts.servers.connect,
  config: texts.servers.addAll,
  package: own.lookUp,
};

/** The page with the box. @param wrong - why what was entered did not work */
export function addPage(
  session: Session,
  {
    draft,
    understood = { kind: 'nothing' },
    wrong,
  }: {
    readonly draft?: Draft;
    readonly understood?: Understood;
    readonly wrong?: string;
  } = {},
): Content {
  const { csrf, link } = session;
  const value = (name: string): string => (draft && first(draft, name)) ?? '';
  const control = {
    id: 'add-what',
    name: 'what',
    rows: 3,
    class: 'mono',
    spellcheck: 'false',
    autocomplete: 'off',
    'data-one-line': 'list',
    'aria-describedby': wrong === undefined ? 'add-understood' : 'add-understood add-error',
    'aria-invalid': wrong !== undefined && 'true',
  };
  const hasOptions = understood.kind === 'command' || understood.kind === 'url' || understood.kind === 'package';
  return {
    title: texts.servers.addTitle,
    at: '/add',
    main: html`<div class="head"><h1>${texts.servers.addTitle}</h1></div><section class="panel" aria-label="${texts.servers.addTitle}"><form method="post" action="${link('/add')}" novalidate id="add-form" data-first data-check="${link('/add/check')}" autocomplete="off"><input type="hidden" name="csrf" value="${csrf}"><div class="fields"><div class="field"><label for="add-what">${own.label}</label><textarea${attributes(control)}>\n${value('what')}</textarea><p class="help understood" id="add-understood" role="status" data-understood="${understood.kind}">${visibleHtml(understoodText(understood), 400)}</p>${wrong !== undefined && html`<p class="error" id="add-error">${visibleHtml(wrong, 600)}</p>`}</div></div><details${attributes({ class: 'add-options', hidden: !hasOptions, open: value('name') !== '' || value('cwd') !== '' })}><summary>${own.options}</summary><div class="fields"><div class="field"><label for="add-name">${texts.servers.name} <span class="need">${texts.field.optional}</span></label><p class="help" id="add-name-help">${texts.servers.nameHelp}</p><input${attributes({ id: 'add-name', name: 'name', class: 'narrow', 'aria-describedby': 'add-name-help', value: value('name') })}></div>${understood.kind !== 'url' && workingDirectory('add', value('cwd'))}${secretLines('add', understood.kind === 'url')}</div></details><div class="actions"><button class="button primary">${goes[understood.kind] ?? own.go}</button></div></form></section><section class="panel" aria-labelledby="add-hosts-title"><div class="panel-title"><h2 id="add-hosts-title">${own.hosts.title}</h2></div><div class="panel-body"><p>${own.hosts.lead}</p><div class="actions">${buttonForm(session, '/add/hosts', own.hosts.look, '')}</div></div></section>`,
  };
}

/** Asks for leave to run a package. */
export function packagePage(
  found: {
    readonly name: string;
    readonly version: string;
    readonly description?: string;
    readonly deprecated?: string;
  },
  args: string,
  { csrf, link }: Session,
): Content {
  const spec = `${found.name}@${found.version}`;
  const hidden = { name: found.name, version: found.version, args };
  return {
    title: own.package.title,
    at: '/add',
    main: html`<div class="head"><h1>${own.package.title}</h1></div><section class="panel" aria-label="${own.package.title}"><form method="post" action="${link('/add/package')}" id="package-form" data-first><input type="hidden" name="csrf" value="${csrf}">${Object.entries(
      hidden,
    ).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
    )}<dl class="meta"><div><dt>${own.package.name}</dt><dd class="mono">${visibleHtml(found.name, 220)}</dd></div><div><dt>${own.package.version}</dt><dd class="mono">${visibleHtml(found.version, 80)}</dd></div>${found.description !== undefined && html`<div><dt>${own.package.says}</dt><dd>${visibleHtml(found.description, 400)}</dd></div>`}<div><dt>${own.package.runs}</dt><dd class="mono">${visibleHtml(`npx -y ${spec}${args === '' ? '' : ` ${args}`}`, 1_000)}</dd></div></dl>${found.deprecated !== undefined && html`<p class="problems">${own.package.deprecated} ${visibleHtml(found.deprecated, 400)}</p>`}<p class="help">${own.package.means}</p><div class="actions"><button class="button primary">${own.package.run(spec)}</button><a class="button" href="${link('/add')}">${texts.servers.cancel}</a></div></form></section>`,
  };
}

/** A server that needs values before it can be added. */
export interface NeedyServer {
  readonly id: string;
  readonly missing: readonly MissingValue[];
}

/** Asks for the values that entries leave open. A secret is never put into a page again. */
export function valuesPage(servers: readonly NeedyServer[], { csrf, link }: Session): Content {
  const values = [
    ...new Map(servers.flatMap(({ missing }) => missing.map(each => [each.name, each] as const))).values(),
  ];
  const users = (name: string): string =>
    servers
      .filter(({ missing }) => missing.some(each => each.name === name))
      .map(({ id }) => id)
      .join(', ');
  return {
    title: own.values.title,
    at: '/add',
    main: html`<div class="head"><h1>${own.values.title}</h1></div><p class="lead">${own.values.lead}</p><section class="panel" aria-label="${own.values.title}"><form method="post" action="${link('/add/values')}" id="values-form" data-first autocomplete="off" novalidate><input type="hidden" name="csrf" value="${csrf}"><div class="fields">${values.map(
      ({ name, about, isSecret, inCommand }, at) => {
        const id = `value-${at}`;
        const input = attributes({
          id,
          name: `v${at}`,
          type: isSecret ? 'password' : 'text',
          autocomplete: 'off',
          spellcheck: 'false',
          'aria-describedby': `${id}-help`,
        });
        return html`<div${attributes({ class: 'field', 'data-secret': isSecret })}><label for="${id}"><span class="field-title">${visibleHtml(name, 120)}</span></label><p class="help" id="${id}-help">${about !== undefined && html`${visibleHtml(about, 400)} `}${visibleHtml(own.values.usedBy(users(name)), 400)} ${inCommand ? own.values.inCommand : isSecret ? own.values.storedEncrypted : ''}</p>${isSecret ? html`<div class="secret-entry"><input${input}><button${attributes({ type: 'button', class: 'button small script-only', 'data-reveal': id, 'aria-controls': id, 'aria-pressed': 'false', 'data-morph': 'keep' })}>${texts.field.reveal}</button></div>` : html`<input${input}>`}</div>`;
      },
    )}</div><div class="actions"><button class="button primary">${own.go}</button><a class="button" href="${link('/add')}">${texts.servers.cancel}</a></div></form></section>`,
  };
}

/** The list of another host, as far as it could be read. */
export interface FoundList {
  readonly host: string;
  readonly path: string;
  readonly entries: readonly (
    | { readonly id: string; readonly entry: ServerEntry; readonly needs: readonly string[] }
    | { readonly id: string; readonly problem: string }
  )[];
}

/** Options of a command line whose value is a secret, by the option's name. */
const secretOption = /^--?[\w-]*(?:key|token|secret|passw|auth|credential|header)[\w-]*(=|$)/i;

/** A command line in which what may be a secret is masked. */
function maskedTarget(target: ServerEntry['target']): { readonly text: string; readonly hides: boolean } {
  if (target.kind === 'url') return { text: originOf(target), hides: new URL(target.url).search !== '' };
  let hides = false;
  const args = target.args.map((word, at) => {
    const inside = secretOption.exec(word);
    const after = at > 0 && secretOption.exec(target.args[at - 1]!)?.[1] === '';
    const isLong = /^[\w+/=-]{24,}$/.test(word) && /\d/.test(word) && /[A-Za-z]/.test(word);
    if (!(inside?.[1] === '=' || after || isLong)) return word;
    hides = true;
    return inside?.[1] === '=' ? `${word.slice(0, word.indexOf('=') + 1)}${mask}` : mask;
  });
  return { text: originOf({ ...target, args }), hides };
}

/** The servers of other hosts, to choose from. Names of secrets are shown, their values never. */
export function hostsPage(lists: readonly FoundList[], { csrf, link }: Session): Content {
  const hosts = own.hosts;
  const row = (list: FoundList, at: number, each: FoundList['entries'][number]): Html => {
    const value = JSON.stringify([at, each.id]);
    if ('problem' in each)
      return html`<li class="host-server"><strong>${visibleHtml(each.id, 80)}</strong><p class="error">${visibleHtml(each.problem, 400)}</p></li>`;
    const { text, hides } = maskedTarget(each.entry.target);
    const secrets = Object.keys(secretsOf(each.entry.target));
    return html`<li class="host-server"><label class="switch"><input${attributes({ type: 'checkbox', name: 'server', value })}> <strong>${visibleHtml(each.id, 80)}</strong>${each.entry.disabled && html` <span class="chip">${hosts.disabled}</span>`}</label><p class="mono quiet-text">${visibleHtml(text, 400)}</p>${hides && html`<p class="help">${hosts.inCommand}</p>`}${each.needs.length > 0 && html`<p class="help">${visibleHtml(hosts.needs(each.needs), 400)}</p>`}${secrets.length > 0 && html`<label class="switch"><input${attributes({ type: 'checkbox', name: 'secrets', value })}> <span>${visibleHtml(hosts.copySecrets(secrets), 400)}<span class="unseen"> ${visibleHtml(hosts.from(each.id, list.host), 200)}</span></span></label>`}</li>`;
  };
  return {
    title: hosts.title,
    at: '/add',
    main: html`<div class="head"><h1>${hosts.title}</h1></div>${
      lists.length === 0
        ? html`<p class="lead">${hosts.none}</p><p class="actions"><a class="button" href="${link('/add')}">${texts.servers.add}</a></p>`
        : html`<p class="lead">${hosts.choose}</p><form method="post" action="${link('/add/hosts/chosen')}" id="hosts-form"><input type="hidden" name="csrf" value="${csrf}">${lists.map(
            (list, at) =>
              html`<section class="panel" aria-labelledby="host-${String(at)}"><div class="panel-title"><h2 id="host-${String(at)}">${list.host}</h2><span class="mono quiet-text">${visibleHtml(list.path, 300)}</span></div><ul class="panel-body host-servers">${list.entries.map(each => row(list, at, each))}</ul></section>`,
          )}<div class="actions"><button class="button primary">${hosts.add}</button><a class="button" href="${link('/add')}">${texts.servers.cancel}</a></div></form>`
    }`,
  };
}

/** The directory a command is started in. */
export const workingDirectory = (scope: string, value: string): Html =>
  html`<div class="field"><label for="${scope}-cwd">${texts.servers.directory} <span class="need">${texts.field.optional}</span></label><input${attributes({ id: `${scope}-cwd`, name: 'cwd', class: 'mono', spellcheck: 'false', value })}></div>`;

/** Variables or headers, one per line. The input is hidden, and never put into a page again. */
export function secretLines(scope: string, url: boolean): Html {
  const { newVariables, newHeaders, variablesHelp, headersHelp } = texts.servers;
  const id = `${scope}-secrets`;
  return html`<div class="field" data-secret><label for="${id}">${url ? newHeaders : newVariables} <span class="need">${texts.field.optional}</span></label><p class="help" id="${id}-help">${url ? headersHelp : variablesHelp}</p><div class="secret-entry"><textarea${attributes({ id, name: 'secrets', rows: 2, class: 'mono masked', spellcheck: 'false', autocomplete: 'off', 'aria-describedby': `${id}-help` })}></textarea><button${attributes({ type: 'button', class: 'button small script-only', 'data-reveal': id, 'aria-pressed': 'false', 'data-morph': 'keep' })}>${texts.field.reveal}</button></div></div>`;
}

/** One entry of the file: on the desk by that name, or not because of a problem. */
export interface Imported {
  readonly id: string;
  readonly problem?: string;
}

const isServer = (server: ServerView | undefined): server is ServerView => server !== undefined;

/** The page that shows each entry of an mcp.json with its result, which follows its server from then on. */
export function importedPage(entries: readonly Imported[], view: DeskView): Content {
  const { imported } = texts.servers;
  const rows = entries.map(({ id, problem }) => {
    const server = view.servers.find(each => each.id === id);
    const state = problem === undefined ? (server?.state ?? 'stopped') : 'failed';
    return { id, problem, server, state, why: problem ?? (server && serverTrouble(server)) };
  });
  const count = (state: ServerView['state']): number => rows.filter(row => row.state === state).length;
  const failed = rows.filter(row => row.state === 'failed').map(row => row.id);
  return {
    title: imported.title,
    at: '/add',
    refresh: { after: 2, to: view.link('/imported') },
    main: html`<div class="head"><h1>${imported.title}</h1></div><p class="lead" role="status">${visibleHtml(imported.summary(count('ready'), count('starting'), failed), 2_000)}</p><ul class="panel server-rows">${rows.map(
      ({ id, problem, server, state, why }) =>
        html`<li class="server-row" data-key="imported-${id}"><span class="state state-${state}"></span>${isServer(server) ? html`<a class="server-row-name" href="${view.link(serverPath(id))}">${visibleHtml(id, 80)}</a>` : html`<span class="server-row-name">${visibleHtml(id, 80)}</span>`}<span class="server-row-counts">${server?.state === 'ready' ? serverCounts(server) : problem === undefined ? texts.servers.state[state] : imported.notAdded}</span>${server?.era !== undefined && html`<span class="server-row-era">${texts.servers.revision(server.era)}</span>`}${state === 'failed' && why !== undefined && html`<span class="server-row-trouble whole">${visibleHtml(why, 600)}</span>`}</li>`,
    )}</ul><p class="actions"><a class="button primary" href="${view.link('/')}">${texts.session.back}</a><a class="button" href="${view.link('/add')}">${texts.servers.add}</a></p>`,
  };
}
