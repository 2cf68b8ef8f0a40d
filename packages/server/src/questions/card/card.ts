/**
 * The card: the question in the host's own conversation, for hosts that show MCP Apps. The call ends with a result that our App
 * shows as a form, and goes on when the App answers; see ../../eras/park.ts. The host and the person are as with the client's
 * own forms, so an answer is `in-band`.
 */
import { assures } from '@midcall/core/form';
import { defined } from '@midcall/core/json';
import { visible } from '@midcall/core/text';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { digest } from '../../base/index.ts';
import type { CallRequest, Cards, Config } from '../../request/index.ts';
import { type AskChannel, type ChannelCall, type FormQuestion, isOn } from '../channel.ts';
import { formDigest } from '../form-digest.ts';
import { type ApartAsk, type ResultAsk, stepsDone } from '../outgoing.ts';
import { pageSwitch } from '../page/plan.ts';
import { putForm } from '../put-form.ts';
import { quoted } from '../quoted.ts';
import { asCorrection } from '../wizard-forms.ts';
import { CARD_TOOL, cardMeta } from './card-app.ts';

/** How long a host has to show a card, in milliseconds, before the same call takes another way. */
const SHOW_MS = 20_000;

export const card: AskChannel = {
  name: 'card',
  onWhereNamed: false,
  byHost: true,
  answeredBy: CARD_TOOL,
  byApp: true,
  noPages: 'a card shows no page',
  whyNever({ registered, name, ask: { assurance } }) {
    if (registered.method !== 'tools/call') return 'a card shows the result of a tool, and nothing else';
    if (assurance !== undefined && !assures('in-band', assurance))
      return `a card gives 'in-band', and '${assurance}' is demanded`;
    return whyNoCard[cardsOf(registered.cards, name)];
  },
  reaches: (_, { request }) => hasCard(request),
  assurance: () => 'in-band',
  async unseen({ ask: { message, key }, form }, { run, config, pages }) {
    const binding = pages?.binding;
    if (binding === undefined) return false;
    const { value } = await run.find(
      { kind: 'elicit', identity: ['unseen', message, formDigest(form.schema), key], label: message },
      async () => {
        const since = await config.contents.get(unseenKey(binding));
        return since !== undefined && config.clock.now() - Number(since) >= SHOW_MS;
      },
    );
    return value === true;
  },
  put: (question, call) =>
    putForm(question, call, {
      channel: 'card',
      assurance: 'in-band',
      form: question.form,
      outgoing: (message, before) => outgoing(question, call, message, before),
    }),
};

function outgoing<T>(
  { ask, form, wayBack }: FormQuestion<T>,
  { run, config }: ChannelCall,
  message: string,
  before: Parameters<typeof asCorrection>[1] | undefined,
): ResultAsk {
  const timeoutMs = ask.timeoutMs ?? config.askTimeoutMs;
  const { fields } = before ? asCorrection(form, before) : form;
  const hasPages = config.pages !== undefined && isOn(pageSwitch, ask.channels, config);
  return {
    to: 'result',
    channel: 'card',
    assurance: 'in-band',
    timeoutMs,
    ends: 'parked',
    async leaving({ binding }) {
      const ttlMs = timeoutMs + config.stateTtlMs;
      await config.contents.set(unseenKey(digest(binding)), String(config.clock.now()), { ttlMs, ifAbsent: true });
    },
    result(ticket, dueAt, request) {
      // The same call again is another one: it would repeat what this one has done.
      const ownAgain = hasPages && stepsDone(run) === 0 ? 'link' : 'nothing';
      const text = cardText(message, request.name, request.registered.gateway ? 'elsewhere' : ownAgain);
      return {
        content: [{ type: 'text', text }],
        // A schema that admits the result of a waiting call admits this.
        ...(request.registered.structured && { structuredContent: {} }),
        _meta: cardMeta({ question: { message, fields, ...defined({ wayBack }) } }, { ticket, dueAt }, request),
      };
    },
  };
}

const cardsOf = (cards: Cards | undefined, name: string) =>
  (typeof cards === 'function' ? cards(name) : cards) ?? 'own-app';

/** True if the host of a call shows its result in our App. */
export const hasCard = ({ client, registered, name }: Pick<CallRequest, 'client' | 'registered' | 'name'>): boolean =>
  client.apps && registered.method === 'tools/call' && cardsOf(registered.cards, name) === 'yes';

const whyNoCard = {
  yes: undefined,
  'own-app': 'the results of this tool are shown by an App of its own',
  structured: "the tool's outputSchema refuses the result of a call that waits, which has no structured content",
} as const;

/** Where it is stored that a call has a card which no host has shown yet. @param binding - a digest of what the call is bound to */
const unseenKey = (binding: string): string => `unseen-card:${binding}`;

/** The App says that it shows a card of this call, or answers on it. */
export async function cardSeen({ binding }: Pick<CallRequest, 'binding'>, { contents }: Config): Promise<void> {
  await contents.take(unseenKey(digest(binding)));
}

/** A page that the person is to be told of, on a card: `_meta` of the result of its call, if there is a host that shows it. */
export function cardOfPage(
  asks: readonly Pick<ApartAsk, 'words'>[],
  waits: { readonly ticket: string; readonly dueAt: number },
  request: CallRequest,
  config: Config,
): Pick<CallToolResult, '_meta'> {
  const page = asks.map(ask => ask.words().passOn?.page).find(each => each !== undefined);
  return page && config.cards && hasCard(request) ? { _meta: cardMeta({ page }, waits, request) } : {};
}

/**
 * What a tool says to the model while the person has its question on a card.
 * @param whenRepeated - what the same call gives if it is made again, for a host that shows no card; `nothing` if it must not be
 */
function cardText(message: string, tool: string, whenRepeated: 'link' | 'elsewhere' | 'nothing'): string {
  const name = visible(tool, { max: 200 });
  return [
    `It is not finished: '${name}' waits for the person, who sees this question as a form beside this result:`,
    '',
    ...quoted(message),
    '',
    'Wait for them. Do not answer for them, and do not say that it is done: the form sends their answer by itself, the call goes on ' +
      'from there, and its outcome is told to you.',
    unseen(name)[whenRepeated],
  ].join('\n');
}

const unseen = (name: string) => ({
  link: `If they see no form, call '${name}' again with the same arguments after 20 seconds: you then get a link for them.`,
  elsewhere: `If they see no form, call '${name}' again with the same arguments: they are then asked elsewhere.`,
  nothing: 'If they see no form, this app cannot show it: tell them so.',
});
