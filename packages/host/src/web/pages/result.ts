/** A call's result, as a person reads it: text as text, pictures and sound as themselves, the rest as JSON. Pure. */
import { canonical, isRecord } from '@midcall/core/json';
import { attributes, type Html, html } from '@midcall/core/page';
import { jsonIn } from '../../index.ts';
import { ansiHtml, hasAnsi, icons, visibleHtml, visibleJsonHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';
import type { Session } from '../workspace/index.ts';
import { jsonTree } from './json-tree.ts';
import { foreignText } from './markdown.ts';
import { callPath, offerPath } from './paths.ts';
import { pictureSize } from './picture-size.ts';

type Block = Readonly<Record<string, unknown>>;

const pictures = /^image\/(png|jpeg|gif|webp)$/;
const sounds = /^audio\/[a-z0-9.+-]+$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The kinds of content that the protocol defines. */
const kinds = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** Data up to this size is shown in place. */
const mostData = 8_000_000;

/** The bytes and type of a picture or a sound that may be shown; undefined for anything else. */
export function mediaOf(block: Block): { readonly mimeType: string; readonly data: Buffer } | undefined {
  const { type, data, mimeType } = block;
  if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined;
  if (data.length > mostData || !base64.test(data)) return undefined;
  const fits = type === 'image' ? pictures.test(mimeType) : type === 'audio' && sounds.test(mimeType);
  return fits ? { mimeType, data: Buffer.from(data, 'base64') } : undefined;
}

/** What blocks are shown with: the call that returned them, and its server. */
export interface ResultPlace extends Pick<Session, 'link'> {
  readonly callId: string;
  readonly serverId: string;
}

/** The text of a block or of the resource in it. */
export const textOf = (block: Block): string | undefined =>
  block['type'] === 'text' && typeof block['text'] === 'string' ? block['text'] : undefined;

function textContent(text: string, max: number): Html {
  if (hasAnsi(text)) return html`<pre class="result-text mono">${ansiHtml(text, max, true)}</pre>`;
  const value = jsonIn(text);
  return value === undefined ? foreignText(text, max) : jsonTree(value);
}

function resourceLink(block: Block, { link, serverId }: ResultPlace): Html {
  const { uri, name, title, description } = block;
  const label = [title, name].find(each => typeof each === 'string' && each !== '') as string | undefined;
  return html`<p class="result-link">${icons.result}<a href="${link(offerPath(serverId, 'resource', String(uri)))}">${visibleHtml(label ?? String(uri), 200)}</a> <code class="quiet-text">${visibleHtml(String(uri), 1_000)}</code>${typeof description === 'string' && html`<span class="quiet-text">${visibleHtml(description, 400)}</span>`}</p>`;
}

/** A picture in a frame, since it may be as small as a dot or as white as the page, with its kind and size. */
function picture({ mimeType, data }: NonNullable<ReturnType<typeof mediaOf>>, path: string): Html {
  const { width, height } = pictureSize(data) ?? {};
  const kind = mimeType.slice(mimeType.indexOf('/') + 1).toUpperCase();
  return html`<figure class="result-picture"><a${attributes({ href: path, target: '_blank', rel: 'noopener' })}><img${attributes({ src: path, alt: texts.call.picture, class: 'result-image', width, height })}></a><figcaption>${texts.call.pictureFacts(kind, width, height, data.length)}</figcaption></figure>`;
}

/** @param max - characters shown of a text */
function blockContent(block: Block, path: string, place: ResultPlace, max: number): Html {
  const text = textOf(block);
  if (text !== undefined) return textContent(text, max);
  if (block['type'] === 'resource_link' && typeof block['uri'] === 'string') return resourceLink(block, place);
  const media = mediaOf(block);
  if (!media) {
    const { type } = block;
    const foreign =
      typeof type === 'string' &&
      !kinds.has(type) &&
      html`<p class="help">${visibleHtml(texts.call.foreignKind(type), 200)}</p>`;
    return html`${foreign}<pre class="result-json" tabindex="0">${visibleJsonHtml(block)}</pre>`;
  }
  return block['type'] === 'image'
    ? picture(media, path)
    : html`<audio${attributes({ src: path, controls: true })}></audio>`;
}

const isBlock = (value: unknown): value is Block => typeof value === 'object' && value !== null;
const list = (value: unknown): readonly Block[] => (Array.isArray(value) ? value.filter(isBlock) : []);

/** The contents of a resource as the block that shows them. */
function asBlock(contents: Block): Block {
  const { text, blob, mimeType } = contents;
  if (typeof text === 'string') return { type: 'text', text };
  const kind = /^(image|audio)\//.exec(String(mimeType))?.[1];
  return kind === undefined || typeof blob !== 'string' ? contents : { type: kind, data: blob, mimeType };
}

/** The content blocks of a tool's result, a prompt's messages or a resource, if there are any. */
export function blocksOf(result: Readonly<Record<string, unknown>>): readonly Block[] {
  const blocks = [
    ...list(result['content']),
    ...list(result['messages']).flatMap(message => list([message['content']])),
  ];
  const embedded = ({ type, resource }: Block) => type === 'resource' && isBlock(resource);
  return [
    ...blocks.map(block => (embedded(block) ? asBlock(block['resource'] as Block) : block)),
    ...list(result['contents']).map(asBlock),
  ];
}

/** Who says each block of a prompt. */
const rolesOf = (result: Readonly<Record<string, unknown>>): readonly string[] =>
  list(result['messages']).flatMap(({ role, content }) => (isBlock(content) ? [texts.call.role(String(role))] : []));

/** How much of one result is shown, however it is divided: characters of texts and of JSON, and blocks. */
const [mostCharacters, mostBlocks] = [200_000, 1_000];

/** The contents of the blocks that are shown; of a very large result, its first ones. */
function firstContents(blocks: readonly Block[], pathOf: (at: number) => string, place: ResultPlace): readonly Html[] {
  const contents: Html[] = [];
  let left = mostCharacters;
  for (const [at, block] of blocks.slice(0, mostBlocks).entries()) {
    if (left <= 0) break;
    const content = blockContent(block, pathOf(at), place, left);
    contents.push(content);
    left -= textOf(block)?.length ?? content.text.length;
  }
  return contents;
}

/** True for equal JSON. */
function isSame(one: unknown, other: unknown): boolean {
  try {
    return one !== undefined && canonical(one) === canonical(other);
  } catch {
    return false;
  }
}

/** True if all that is structured is the one text of the result, under some name: the text reads better. */
function isTextAlone(structured: unknown, blocks: readonly Block[]): boolean {
  const values = isRecord(structured) ? Object.values(structured) : [];
  return values.length === 1 && blocks.length === 1 && values[0] === textOf(blocks[0]!) && values[0] !== undefined;
}

/**
 * The content of a call's result; says so if there is none.
 * @param note - what is wrong with its structured content, or could not be checked
 */
export function resultContent(result: Readonly<Record<string, unknown>>, place: ResultPlace, note?: string): Html {
  const all = blocksOf(result);
  const structured = isTextAlone(result['structuredContent'], all) ? undefined : result['structuredContent'];
  // Servers send what is structured as text as well, for clients that do not read it.
  const isTwice = (block: Block): boolean =>
    structured !== undefined && isSame(jsonIn(textOf(block) ?? ''), structured);
  const blocks = all.filter(block => !isTwice(block));
  const said = rolesOf(result);
  const roles = blocks.map(block => said[all.indexOf(block)]);
  const { link, callId } = place;
  const path = (at: number) => link(`${callPath(callId)}/blocks/${all.indexOf(blocks[at]!)}`);
  const whole = link(`${callPath(callId)}/result.json`);
  const copy = (from: string, label: string): Html =>
    html`<button${attributes({ type: 'button', class: 'link-button script-only', 'data-copy-from': from, 'data-copied': texts.typed.copied, 'data-morph': 'keep' })}>${label}</button>`;
  const textWays = (block: Block, at: number): Html | false =>
    textOf(block) !== undefined &&
    html`<a href="${path(at)}" target="_blank" rel="noopener">${texts.call.asWritten}</a>${copy(path(at), texts.typed.copy)}`;
  const [only] = blocks.length === 1 && structured === undefined ? blocks : [];
  const contents = firstContents(blocks, path, place);
  const left = blocks.length - contents.length;
  return html`<div class="result">${contents.map((content, at) => html`${roles[at] !== undefined && html`<p class="help">${visibleHtml(roles[at], 80)}</p>`}${content}${!only && textOf(blocks[at]!) !== undefined && html`<p class="result-ways">${textWays(blocks[at]!, at)}</p>`}`)}${left > 0 && html`<p class="help">${texts.call.notShown(left)}</p>`}${note !== undefined && html`<p class="help">${visibleHtml(note, 2_000)}</p>`}${
    structured !== undefined &&
    html`<section class="structured"><h3>${texts.call.structured}</h3>${jsonTree(structured)}</section>`
  }${blocks.length === 0 && structured === undefined && html`<p class="quiet-text">${texts.call.noContent}</p>`}<p class="result-ways">${only && textWays(only, 0)}<a href="${whole}" download="result.json">${texts.call.save}</a>${copy(whole, texts.call.copyAll)}</p></div>`;
}
