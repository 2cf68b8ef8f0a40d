/** The desk's own files: one style sheet and the client script, read once and named after their content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { icon } from '@midcall/core/page';
import type { AssetPaths } from '../pages/index.ts';
import { style } from '../style/index.ts';

/** The client script, and what runs on its own on pages outside the desk; without their endings. */
export const clientScripts = ['desk', 'again'] as const;

/** One file as it is served. */
export interface Asset {
  readonly type: string;
  readonly body: string;
  /** True if the path changes with the content. */
  readonly lasting: boolean;
}

/** Files by path, and the paths that pages name. */
export interface Assets {
  readonly paths: AssetPaths;
  get(path: string): Asset | undefined;
}

/** The icon of a tab in which a question waits: it has a dot. */
const dot = '<circle cx="25" cy="7" r="7" fill="#fff"/><circle cx="25" cy="7" r="5.4" fill="#d6342c"/>';
const waitingIcon = icon.replace('</svg>', `${dot}</svg>`);

/** @param from - the folder of the bundled client script */
export function loadAssets(from: URL): Assets {
  const scripts = clientScripts.map(name => [`${name}.js`, readFileSync(new URL(`${name}.js`, from), 'utf8')] as const);
  const digest = createHash('sha256').update(style).update(icon).update(waitingIcon);
  for (const [, text] of scripts) digest.update(text);
  const base = `/assets/${digest.digest('base64url').slice(0, 12)}`;
  const files = new Map<string, Asset>([
    ['/assets/icon.svg', { type: 'image/svg+xml', body: icon, lasting: false }],
    [`${base}/icon.svg`, { type: 'image/svg+xml', body: icon, lasting: true }],
    [`${base}/waiting.svg`, { type: 'image/svg+xml', body: waitingIcon, lasting: true }],
    [`${base}/desk.css`, { type: 'text/css; charset=utf-8', body: style, lasting: true }],
    ...scripts.map(
      ([name, body]) => [`${base}/${name}`, { type: 'text/javascript; charset=utf-8', body, lasting: true }] as const,
    ),
  ]);
  return {
    paths: {
      icon: `${base}/icon.svg`,
      waiting: `${base}/waiting.svg`,
      style: `${base}/desk.css`,
      script: `${base}/desk.js`,
      again: `${base}/again.js`,
    },
    get: path => files.get(path),
  };
}
