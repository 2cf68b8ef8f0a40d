/** How a person likes their desk: what is folded, their favourite tools, shortcuts and colours. */
import { fromJson, isRecord } from '@midcall/core/json';
import { isOfferKind, type OfferKind } from './offer-kind.ts';

/** Colours that a person may choose instead of their system's. */
export type Theme = 'light' | 'dark';

/** What is remembered, as plain data. */
export interface PreferencesRecord {
  /** By server: true if its tools are folded away beside every page. */
  readonly folds?: Readonly<Record<string, boolean>>;
  /** Offers marked by the person, by server, kind and name, as a JSON array. */
  readonly favourites?: readonly string[];
  /** False if keys without a modifier do nothing. */
  readonly singleKeys?: boolean;
  /** False if calls are forgotten with their session. */
  readonly keepsCalls?: boolean;
  /** True if the messages and logs of a server are shown below the pages about it. */
  readonly drawer?: boolean;
  /** Arguments that the person has named. */
  readonly templates?: readonly ArgumentTemplate[];
  /** The colours; those of the person's system if absent. */
  readonly theme?: Theme;
}

/** Arguments of a tool or a prompt, under a name; no secret is in them. */
export interface ArgumentTemplate {
  readonly server: string;
  readonly kind: OfferKind;
  /** The name of the tool or the prompt. */
  readonly of: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The most entries of one kind that are remembered; the oldest are dropped first. */
const mostEntries = 500;

/** The key under which a tool, a prompt or a resource of a server is remembered. */
const offerKey = (serverId: string, kind: OfferKind, name: string): string => JSON.stringify([serverId, kind, name]);

function isOfferKey(value: unknown): value is string {
  const key = typeof value === 'string' ? fromJson(value) : undefined;
  return Array.isArray(key) && typeof key[0] === 'string' && isOfferKind(key[1]) && typeof key[2] === 'string';
}

const isTemplate = (value: unknown): value is ArgumentTemplate =>
  isRecord(value) &&
  ['server', 'of', 'name'].every(member => typeof value[member] === 'string') &&
  isOfferKind(value['kind']) &&
  isRecord(value['arguments']);

/** The valid part of preferences that were read from a file. */
export function readPreferences(value: unknown): PreferencesRecord {
  if (!isRecord(value)) return {};
  const { folds, favourites, singleKeys, keepsCalls, drawer, templates, theme } = value;
  return {
    ...(isRecord(folds) && {
      folds: Object.fromEntries(
        Object.entries(folds).flatMap(([id, folded]) => (typeof folded === 'boolean' ? [[id, folded]] : [])),
      ),
    }),
    ...(Array.isArray(favourites) && { favourites: favourites.filter(isOfferKey) }),
    ...(typeof singleKeys === 'boolean' && { singleKeys }),
    ...(typeof keepsCalls === 'boolean' && { keepsCalls }),
    ...(typeof drawer === 'boolean' && { drawer }),
    ...(Array.isArray(templates) && { templates: templates.filter(isTemplate) }),
    ...((theme === 'light' || theme === 'dark') && { theme }),
  };
}

/** The preferences of one desk. */
export class Preferences {
  readonly #folds: Map<string, boolean>;
  readonly #favourites: Set<string>;
  readonly #onChange: () => void;
  #singleKeys: boolean;
  #keepsCalls: boolean;
  #drawer: boolean;
  #templates: readonly ArgumentTemplate[];
  #theme: Theme | undefined;

  /** @param onChange - called after every change */
  constructor(before: PreferencesRecord, onChange: () => void) {
    this.#folds = new Map(Object.entries(before.folds ?? {}));
    this.#favourites = new Set(before.favourites);
    this.#singleKeys = before.singleKeys ?? true;
    this.#keepsCalls = before.keepsCalls ?? true;
    this.#drawer = before.drawer ?? false;
    this.#templates = before.templates ?? [];
    this.#theme = before.theme;
    this.#onChange = onChange;
  }

  /** All preferences, to be stored. */
  get record(): PreferencesRecord {
    return {
      folds: Object.fromEntries(this.#folds),
      favourites: [...this.#favourites],
      singleKeys: this.#singleKeys,
      keepsCalls: this.#keepsCalls,
      drawer: this.#drawer,
      templates: this.#templates,
      ...(this.#theme && { theme: this.#theme }),
    };
  }

  /** Whether a server's tools are folded away; undefined if the person never said. */
  isFolded(serverId: string): boolean | undefined {
    return this.#folds.get(serverId);
  }

  fold(serverId: string, folded: boolean): void {
    this.#folds.delete(serverId);
    this.#folds.set(serverId, folded);
    forgetOldest(this.#folds);
    this.#onChange();
  }

  isFavourite(serverId: string, kind: OfferKind, name: string): boolean {
    return this.#favourites.has(offerKey(serverId, kind, name));
  }

  /** The offers that the person marked, the latest first. */
  get favourites(): readonly (readonly [serverId: string, kind: OfferKind, name: string])[] {
    return [...this.#favourites].reverse().map(key => JSON.parse(key) as [string, OfferKind, string]);
  }

  favour(serverId: string, kind: OfferKind, name: string, favourite: boolean): void {
    const key = offerKey(serverId, kind, name);
    this.#favourites.delete(key);
    if (favourite) this.#favourites.add(key);
    forgetOldest(this.#favourites);
    this.#onChange();
  }

  /** True if keys without a modifier do something. */
  get singleKeys(): boolean {
    return this.#singleKeys;
  }

  set singleKeys(on: boolean) {
    this.#singleKeys = on;
    this.#onChange();
  }

  /** True if calls are stored for the next session. */
  get keepsCalls(): boolean {
    return this.#keepsCalls;
  }

  set keepsCalls(on: boolean) {
    this.#keepsCalls = on;
    this.#onChange();
  }

  /** True if the messages and logs of a server are shown below the pages about it. */
  get drawer(): boolean {
    return this.#drawer;
  }

  set drawer(open: boolean) {
    this.#drawer = open;
    this.#onChange();
  }

  /** The arguments that the person has named for a tool or a prompt. */
  templates(server: string, kind: OfferKind, of: string): readonly ArgumentTemplate[] {
    return this.#templates.filter(each => each.server === server && each.kind === kind && each.of === of);
  }

  /** Stores arguments under a name, in place of those that had it. */
  saveTemplate(template: ArgumentTemplate): void {
    this.#templates = [...this.#without(template), template].slice(-mostEntries);
    this.#onChange();
  }

  removeTemplate(template: Omit<ArgumentTemplate, 'arguments'>): void {
    this.#templates = this.#without(template);
    this.#onChange();
  }

  #without({ server, kind, of, name }: Omit<ArgumentTemplate, 'arguments'>): readonly ArgumentTemplate[] {
    const isOther = (each: ArgumentTemplate): boolean =>
      each.server !== server || each.kind !== kind || each.of !== of || each.name !== name;
    return this.#templates.filter(isOther);
  }

  /** Undefined for the colours of the person's system. */
  get theme(): Theme | undefined {
    return this.#theme;
  }

  set theme(theme: Theme | undefined) {
    this.#theme = theme;
    this.#onChange();
  }
}

function forgetOldest(all: Map<string, unknown> | Set<string>): void {
  for (const oldest of all.keys()) {
    if (all.size <= mostEntries) return;
    all.delete(oldest);
  }
}
