/** The names of what a server offered last, so that it can be found before the server is started again. Pure. */
import { isRecord } from '@midcall/core/json';
import { isOfferKind, type OfferKind } from './offer-kind.ts';

/** A tool, prompt or resource that a server offered, without what only a running server can tell. */
export interface RememberedOffer {
  readonly kind: OfferKind;
  readonly name: string;
  readonly title?: string;
}

/** What each server offered, by the id of the server. */
export type RememberedOffers = Readonly<Record<string, readonly RememberedOffer[]>>;

/** The most that are stored of one server, and the most characters of a name or a title. */
const [mostOffers, longest] = [200, 300];

const isOffer = (value: unknown): value is RememberedOffer =>
  isRecord(value) &&
  isOfferKind(value['kind']) &&
  typeof value['name'] === 'string' &&
  (value['title'] === undefined || typeof value['title'] === 'string');

/** What is worth storing of what a server offers. */
export const worthRemembering = (offers: readonly RememberedOffer[]): readonly RememberedOffer[] =>
  offers
    .filter(({ name, title = '' }) => name.length <= longest && title.length <= longest)
    .slice(0, mostOffers)
    .map(({ kind, name, title }) => ({ kind, name, ...(title !== undefined && { title }) }));

/** The valid part of what was read from a file. */
export function readRememberedOffers(value: unknown): RememberedOffers {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([id, offers]) => (Array.isArray(offers) ? [[id, offers.filter(isOffer)]] : [])),
  );
}
