/** A tool's result as a person reads it: text as text, pictures and sound as themselves, the rest as JSON. Pure. */
import { attributes, type Html, html } from '../../html.ts';
import { shown, shownJson } from './shown.ts';
import { texts } from './texts.ts';

type Block = Readonly<Record<string, unknown>>;

const pictures = /^image\/(png|jpeg|gif|webp)$/;
const sounds = /^audio\/[a-z0-9.+-]+$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Data of this size and below is shown in place. */
const mostData = 8_000_000;

/** The bytes of a picture or a sound that may be shown, and their type; undefined for anything else. */
export function mediaOf(block: Block): { readonly mimeType: string; readonly data: Buffer } | undefined {
  const { type, data, mimeType } = block;
  if (typeof data !== 'string' || typeof mimeType !== 'string') return undefined;
  if (data.length > mostData || !base64.test(data)) return undefined;
  const fits = type === 'image' ? pictures.test(mimeType) : type === 'audio' && sounds.test(mimeType);
  return fits ? { mimeType, data: Buffer.from(data, 'base64') } : undefined;
}

function blockContent(block: Block, path: string): Html {
  if (block['type'] === 'text' && typeof block['text'] === 'string') {
    return html`<pre class="result-text">${shown(block['text'], 100_000, true)}</pre>`;
  }
  if (block['type'] === 'resource_link' && typeof block['uri'] === 'string') {
    return html`<p class="result-link"><code>${shown(block['uri'], 1_000)}</code></p>`;
  }
  if (!mediaOf(block)) return html`<pre class="result-json" tabindex="0">${shownJson(block)}</pre>`;
  return block['type'] === 'image'
    ? html`<img${attributes({ src: path, alt: texts.call.picture, class: 'result-image' })}>`
    : html`<audio${attributes({ src: path, controls: true })}></audio>`;
}

/** The content blocks of a result, as far as it has any. */
export function blocksOf(result: Readonly<Record<string, unknown>>): readonly Block[] {
  const content = result['content'];
  return Array.isArray(content) ? content.filter(block => typeof block === 'object' && block !== null) : [];
}

/** The content of a call's result; says so where there is none. */
export function resultContent(result: Readonly<Record<string, unknown>>, callId: string): Html {
  const blocks = blocksOf(result);
  const structured = result['structuredContent'];
  const path = (at: number) => `/calls/${encodeURIComponent(callId)}/blocks/${at}`;
  return html`<div class="result">${blocks.map((block, at) => blockContent(block, path(at)))}${
    structured !== undefined &&
    html`<details><summary>${texts.call.structured}</summary><pre class="result-json" tabindex="0">${shownJson(structured)}</pre></details>`
  }${blocks.length === 0 && structured === undefined && html`<p class="quiet-text">${texts.call.noContent}</p>`}</div>`;
}
