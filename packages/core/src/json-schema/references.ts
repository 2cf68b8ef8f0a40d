/** Where a `$ref` leads within its own document. Nothing is ever fetched. */
import { isRecord, type JsonObject } from '../json/index.ts';
import type { Steps } from './steps.ts';

/** A schema and the address that references in it are relative to. */
export interface Located {
  readonly schema: unknown;
  readonly base: string;
}

const rootAddress = 'schema:/';
/** Reading an address costs about as much as this many steps. */
const addressSteps = 50;
/** These contain a value, not a schema. */
const values = new Set(['enum', 'const', 'default', 'examples']);

/** The places of one document that have an address. */
export class References {
  readonly #steps: Steps;
  readonly #root: unknown;
  #places: Map<string, Located> | undefined;

  constructor(root: unknown, steps: Steps) {
    this.#root = root;
    this.#steps = steps;
  }

  /** Where the document begins. */
  get root(): Located {
    return { schema: this.#root, base: isRecord(this.#root) ? this.#within(this.#root, rootAddress) : rootAddress };
  }

  /** The address that references in a schema are relative to, given that of the schema around it. */
  baseOf(schema: JsonObject, around: string): string {
    return this.#within(schema, around);
  }

  /** The target of a reference; undefined if that is not in the document. */
  follow(reference: string, base: string): Located | undefined {
    this.#steps.spend(addressSteps);
    if (!URL.canParse(reference, base)) return undefined;
    const address = new URL(reference, base);
    const fragment = decoded(address.hash.slice(1));
    address.hash = '';
    this.#places ??= this.#index();
    if (fragment === undefined) return undefined;
    if (fragment !== '' && !fragment.startsWith('/')) return this.#places.get(`${address.href}#${fragment}`);
    const start = this.#places.get(address.href);
    return start && this.#point(start, fragment);
  }

  #within(schema: JsonObject, around: string): string {
    const id = Object.hasOwn(schema, '$id') ? schema['$id'] : undefined;
    if (typeof id !== 'string' || id.startsWith('#')) return around;
    this.#steps.spend(addressSteps);
    if (!URL.canParse(id, around)) return around;
    const address = new URL(id, around);
    address.hash = '';
    return address.href;
  }

  #point(start: Located, pointer: string): Located | undefined {
    let { schema, base } = start;
    for (const part of pointer.split('/').slice(1)) {
      this.#steps.spend(1);
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, name)) return undefined;
      schema = (schema as JsonObject)[name];
      if (isRecord(schema)) base = this.#within(schema, base);
    }
    return { schema, base };
  }

  #index(): Map<string, Located> {
    const places = new Map<string, Located>();
    const add = (address: string, place: Located): void => {
      if (!places.has(address)) places.set(address, place);
    };
    add(rootAddress, { schema: this.#root, base: rootAddress });
    const open: { readonly schema: unknown; readonly around: string }[] = [{ schema: this.#root, around: rootAddress }];
    for (let next = open.pop(); next; next = open.pop()) {
      const { schema, around } = next;
      this.#steps.spend(1);
      if (Array.isArray(schema)) {
        this.#steps.spend(schema.length);
        for (const each of schema) open.push({ schema: each, around });
      } else if (isRecord(schema)) {
        const base = this.#within(schema, around);
        if (base !== around) add(base, { schema, base });
        const id = schema['$id'];
        const anchor = typeof id === 'string' && id.startsWith('#') ? id.slice(1) : schema['$anchor'];
        if (typeof anchor === 'string') add(`${base}#${anchor}`, { schema, base });
        const entries = Object.entries(schema);
        this.#steps.spend(entries.length);
        for (const [name, each] of entries) if (!values.has(name)) open.push({ schema: each, around: base });
      }
    }
    return places;
  }
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
