/**
 * What a server offers, as the desk stores it: tools, prompts and resources, each with a schema to make a form from; only what
 * is shown, as plain data.
 */
import { isForPeople } from '@midcall/core/json';
import { appUri, type Catalogue, type ListName, type ListProblem, templateNames } from '../../index.ts';
import { type RememberedOffer, worthRemembering } from '../keeping/index.ts';
import type { OfferKind, OfferView, ServerView } from './views.ts';

/** What a server offers, by kind. */
export type Offers = Pick<ServerView, 'tools' | 'prompts' | 'resources'>;

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** The most of one kind that are listed. */
const mostOffers = 1_000;

/** Half a surrogate pair cannot be written in UTF-8, and a browser leaves out a segment of one or two dots. */
const hasAddress = (name: string): boolean => !/\p{Cs}|^\.{1,2}$/u.test(name);

const listed = (offers: readonly OfferView[]): readonly OfferView[] =>
  offers.slice(0, mostOffers).filter(offer => hasAddress(offer.name));

const described = ({ title, description }: { title?: string | undefined; description?: string | undefined }) => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
});

function tool(received: Catalogue['tools'][number]): OfferView {
  const declared = hints.flatMap(hint => {
    const value = received.annotations?.[hint];
    return typeof value === 'boolean' ? [[hint, value] as const] : [];
  });
  const app = appUri(received);
  return {
    name: received.name,
    ...described({ ...received, title: received.title ?? received.annotations?.title }),
    inputSchema: received.inputSchema ?? {},
    ...(app !== undefined && { app }),
    annotations: Object.fromEntries(declared),
  };
}

/** A schema whose properties are texts. */
const texts = (
  fields: readonly { name: string; description?: string | undefined; required?: boolean | undefined }[],
) => ({
  type: 'object',
  required: fields.filter(field => field.required).map(field => field.name),
  properties: Object.fromEntries(
    fields.map(({ name, description }) => [
      name,
      { type: 'string', ...(description !== undefined && { description }) },
    ]),
  ),
});

const prompt = (received: Catalogue['prompts'][number]): OfferView => ({
  name: received.name,
  ...described(received),
  inputSchema: texts(received.arguments ?? []),
});

/** A resource is called by its URI; its name in words is its title. */
const resource = (received: Catalogue['resources'][number]): OfferView => ({
  ...described({ ...received, title: received.title ?? received.name }),
  name: received.uri,
  inputSchema: {},
});

function template(received: Catalogue['resourceTemplates'][number]): readonly OfferView[] {
  const names = templateNames(received.uriTemplate);
  if (!names) return [];
  return [
    {
      ...described({ ...received, title: received.title ?? received.name }),
      name: received.uriTemplate,
      inputSchema: texts(names.map(name => ({ name, required: true }))),
      template: true,
    },
  ];
}

/** @param catalogue - as received; names and descriptions are untrusted */
export function shownOffers(catalogue: Catalogue): Offers {
  return {
    tools: listed(catalogue.tools.filter(isForPeople).map(tool)),
    prompts: listed(catalogue.prompts.map(prompt)),
    resources: listed([...catalogue.resources.map(resource), ...catalogue.resourceTemplates.flatMap(template)]),
  };
}

/** The names in what is offered, to be stored. */
export const rememberedIn = (offers: Offers): readonly RememberedOffer[] =>
  worthRemembering(
    (Object.keys(manyOf) as OfferKind[]).flatMap(kind => offers[manyOf[kind]].map(offer => ({ ...offer, kind }))),
  );

/** What a server offered when it ran last: names that can be found, without anything that could be called. */
export function asOffers(remembered: readonly RememberedOffer[]): Offers {
  const of = (kind: OfferKind): readonly OfferView[] =>
    remembered.flatMap(({ kind: own, ...offer }) =>
      own === kind ? [{ ...offer, inputSchema: {}, isRemembered: true }] : [],
    );
  return { tools: of('tool'), prompts: of('prompt'), resources: of('resource') };
}

const listsOf: Readonly<Record<keyof Offers, readonly ListName[]>> = {
  tools: ['tools'],
  prompts: ['prompts'],
  resources: ['resources', 'resource templates'],
};

/** What is offered now; of a kind that could not be read at all, what was offered before. */
export function offersAfter(before: Offers, now: Offers, problems: readonly ListProblem[]): Offers {
  const failed = new Set(problems.map(({ list }) => list));
  const kind = (each: keyof Offers): readonly OfferView[] =>
    now[each].length === 0 && listsOf[each].some(list => failed.has(list)) ? before[each] : now[each];
  return { tools: kind('tools'), prompts: kind('prompts'), resources: kind('resources') };
}

/** The plural of a kind, as in a server's view and in addresses. */
export const manyOf = { tool: 'tools', prompt: 'prompts', resource: 'resources' } as const satisfies Record<
  OfferKind,
  keyof Offers
>;

/** What a server offers under a name; a resource need not be listed to be read. */
export function offerOf(server: Offers, kind: OfferKind, name: string): OfferView | undefined {
  const listed = server[manyOf[kind]].find(each => each.name === name);
  return listed ?? (kind === 'resource' && URL.canParse(name) ? { name, inputSchema: {} } : undefined);
}
