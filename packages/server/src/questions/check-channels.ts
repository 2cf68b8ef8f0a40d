/**
 * Checks what an ask requires of its own server and tool, whoever the client is: an ask that no channel can ever put, or a
 * fallback that can never be used, fails the first time a test reaches it, instead of being reported as something the client
 * lacks.
 */
import { MidcallError } from '@midcall/core/errors';
import { type Assurance, assures, type Channel, type Form, type FormInput } from '@midcall/core/form';
import type { CallRequest, Config, ElicitAsk, UrlAsk } from '../request/index.ts';

type Asking = Pick<CallRequest, 'registered' | 'name'>;
type Switched = Pick<Config, 'channels' | 'pages'>;

const setup = (message: string): MidcallError => new MidcallError('server/setup', message);

/** @throws MidcallError `server/setup` if the ask names only channels that can never put it */
export function checkChannels(ask: ElicitAsk<FormInput>, { registered, name }: Asking, config: Switched): void {
  // If the server has no channel at all, nobody can be asked; that is not this ask's mistake.
  if (!ask.channels?.length || config.channels.length === 0) return;
  const whyNot = (channel: Channel): string | undefined => {
    if (channel === 'page') return config.pages ? undefined : noPages;
    if (!config.channels.includes(channel)) return switchOn(channel, config);
    if (channel === 'native') return undefined;
    if (registered.method !== 'tools/call') return 'the relay works for tools only';
    return weaker('relayed', ask.assurance)
      ? `the relay gives 'relayed', and '${ask.assurance}' is demanded`
      : undefined;
  };
  refuse(ask, name, whyNot);
}

/** @throws MidcallError `server/setup` if the server has no pages, or the ask names only channels that can never show one */
export function checkPageChannels(ask: UrlAsk<unknown>, name: string, config: Switched): void {
  if (config.channels.length === 0) return;
  if (!config.pages) throw setup(`'${name}' asks on a page, but ${noPages}.`);
  if (!ask.channels?.length) return;
  refuse(ask, name, channel => {
    if (channel === 'relay') return 'a page is never relayed';
    return channel === 'page' || config.channels.includes(channel) ? undefined : switchOn(channel, config);
  });
}

function refuse(
  { channels = [] }: { readonly channels?: readonly Channel[] },
  name: string,
  whyNot: (channel: Channel) => string | undefined,
): void {
  const reasons = channels.map(whyNot);
  if (reasons.includes(undefined)) return;
  const listed = channels.map(each => `'${each}'`).join(', ');
  throw setup(`'${name}' asks by channels: [${listed}], but ${[...new Set(reasons)].join(', and ')}.`);
}

/**
 * @throws MidcallError `server/setup` for a fallback in a tool that may be destructive, with an assurance that no fallback has,
 *   or that does not fit its form
 */
export async function checkFallback<T>(
  { fallback, assurance }: ElicitAsk<FormInput>,
  { registered, name }: Asking,
  compiled: Form<T>,
): Promise<void> {
  if (fallback === undefined) return;
  if (!registered.mayFallBack) {
    throw setup(
      `'${name}' gives a fallback for a question, but may be destructive: declare readOnlyHint: true or ` +
        'destructiveHint: false, or leave the fallback out.',
    );
  }
  if (weaker('relayed', assurance)) {
    throw setup(
      `'${name}' gives a fallback for a question that demands '${assurance}', which a fallback never has: leave one of the ` +
        'two out.',
    );
  }
  // A library may transform content to another type.
  if (compiled.library) return;
  const fits = (await compiled.check(fallback)).ok || (await compiled.check({ value: fallback })).ok;
  if (!fits) throw setup(`'${name}' gives a fallback that does not fit the form of its question.`);
}

const noPages = "the server has no pages: give midcall() pages: connect(…) of '@midcall/server/connect'";
const switchOn = (channel: Channel, { channels }: Switched): string =>
  `'${channel}' is switched off: midcall({ channels: [${[...channels, channel].map(each => `'${each}'`).join(', ')}] }) ` +
  'switches it on';
const weaker = (level: Assurance, demanded: Assurance | undefined): boolean =>
  demanded !== undefined && !assures(level, demanded);
