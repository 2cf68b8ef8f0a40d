/** The desk's own files: one style sheet, the client scripts, and what makes it an app; read once and named after their content. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { icon } from '@midcall/core/page';
import { type AssetPaths, noticePage } from '../pages/index.ts';
import { style } from '../style/index.ts';
import { texts } from '../texts/index.ts';
import { clientScripts } from './client-scripts.ts';

/** One file as it is served. */
export interface Asset {
  readonly type: string;
  readonly body: string;
  /** True if the path changes with the content. */
  readonly lasting: boolean;
  /** The paths that it may control as a service worker, by their beginning. */
  readonly scope?: string;
}

/** Files by path, and the paths that pages name. */
export interface Assets {
  readonly paths: AssetPaths;
  get(path: string): Asset | undefined;
}

/** The icon of a tab in which a question waits: it has a dot. */
const dot = '<circle cx="25" cy="7" r="7" fill="#fff"/><circle cx="25" cy="7" r="5.4" fill="#d6342c"/>';
const waitingIcon = icon.replace('</svg>', `${dot}</svg>`);

/** What makes the desk an app: it begins at the address that is bookmarked, and holds no secret. */
const manifest = (iconPath: string): string =>
  JSON.stringify({
    id: '/',
    name: `${texts.product} ${texts.desk}`,
    short_name: texts.product,
    description: texts.installed,
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: '#0b6b74',
    background_color: '#f6f7f7',
    icons: [{ src: iconPath, sizes: 'any', type: 'image/svg+xml' }],
  });

/** @param from - the folder of the bundled client script */
export function loadAssets(from: URL): Assets {
  const scripts = clientScripts.map(name => [`${name}.js`, readFileSync(new URL(`${name}.js`, from), 'utf8')] as const);
  const digest = createHash('sha256').update(style).update(icon).update(waitingIcon);
  for (const [, text] of scripts) digest.update(text);
  digest.update(JSON.stringify(texts.offline));
  const base = `/assets/${digest.digest('base64url').slice(0, 12)}`;
  const paths: AssetPaths = {
    icon: `${base}/icon.svg`,
    waiting: `${base}/waiting.svg`,
    style: `${base}/desk.css`,
    script: `${base}/desk.js`,
    usedLinkScript: `${base}/again.js`,
    worker: `${base}/worker.js`,
    manifest: `${base}/desk.webmanifest`,
  };
  const { title, lines } = texts.offline;
  const offline = noticePage(title, lines, paths, { modules: [`${base}/offline.js`] });
  const files = new Map<string, Asset>([
    ['/assets/icon.svg', { type: 'image/svg+xml', body: icon, lasting: false }],
    [`${base}/icon.svg`, { type: 'image/svg+xml', body: icon, lasting: true }],
    [`${base}/waiting.svg`, { type: 'image/svg+xml', body: waitingIcon, lasting: true }],
    [`${base}/desk.css`, { type: 'text/css; charset=utf-8', body: style, lasting: true }],
    ...scripts.map(
      ([name, body]) => [`${base}/${name}`, { type: 'text/javascript; charset=utf-8', body, lasting: true }] as const,
    ),
    [`${base}/offline.html`, { type: 'text/html; charset=utf-8', body: offline, lasting: true }],
    [paths.manifest, { type: 'application/manifest+json', body: manifest(paths.icon), lasting: true }],
  ]);
  const worker = files.get(paths.worker)!;
  files.set(paths.worker, { ...worker, scope: '/' });
  return {
    paths,
    get: path => files.get(path),
  };
}
