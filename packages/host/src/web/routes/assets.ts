/**
 * The files of our pages: one style sheet, the client scripts, and what makes the desk an app; read once and named after their
 * content.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { icon } from '@midcall/core/page';
import type { Hono } from 'hono';
import { compress } from 'hono/compress';
import { type AssetPaths, noticePage, type PageAssets } from '../pages/index.ts';
import { style } from '../style/index.ts';
import { personTexts, texts } from '../texts/index.ts';
import { appPicture } from './app-picture.ts';
import { type ClientScript, deskScripts, personScripts } from './client-scripts.ts';

/** One file as it is served. */
interface Asset {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** True if the path changes with the content. */
  readonly lasting: boolean;
  /** The paths that it may control as a service worker, by their beginning. */
  readonly scope?: string;
}

/** Files by path, and the paths that pages name. */
export interface Assets<P extends PageAssets = AssetPaths> {
  readonly paths: P;
  get(path: string): Asset | undefined;
}

/** Where the pages of a person's inbox find their files. */
export interface PersonAssetPaths extends PageAssets {
  /** For a page without a session. */
  readonly findScript: string;
  readonly worker: string;
  /** The path that the worker controls, with all below it. */
  readonly scope: string;
  readonly manifest: string;
  /** The icon of the app, as a PNG. */
  readonly picture: string;
}

/** The icon of a tab in which a question waits: it has a dot. */
const dot = '<circle cx="25" cy="7" r="7" fill="#fff"/><circle cx="25" cy="7" r="5.4" fill="#d6342c"/>';
const waitingIcon = icon.replace('</svg>', `${dot}</svg>`);

/** What makes the desk or an inbox an app: it begins at the address that is bookmarked, and holds no secret. */
const manifest = (
  iconPath: string,
  app: { place: string; description: string; at: string; picture?: string },
): string =>
  JSON.stringify({
    id: app.at,
    name: `${texts.product} ${app.place}`,
    short_name: texts.product,
    description: app.description,
    start_url: app.at,
    scope: app.at,
    display: 'standalone',
    theme_color: '#0b6b74',
    background_color: '#f6f7f7',
    icons: [
      { src: iconPath, sizes: 'any', type: 'image/svg+xml' },
      // Phones show a PNG, and cut it to their own shape.
      ...(app.picture === undefined
        ? []
        : [{ src: app.picture, sizes: '512x512', type: 'image/png', purpose: 'any maskable' }]),
    ],
  });

const lasting = (type: string, body: Asset['body']): Asset => ({ type, body, lasting: true });

/**
 * What all of our pages need, and some scripts, below a path that changes with the content.
 * @param from - the folder of the bundled client scripts
 * @param at - the path of all files, without a slash at its end
 * @param also - what else the content depends on
 */
function shared(from: URL, at: string, scripts: readonly ClientScript[], also = '') {
  const read = scripts.map(name => [`${name}.js`, readFileSync(new URL(`${name}.js`, from), 'utf8')] as const);
  const digest = createHash('sha256').update(style).update(icon).update(waitingIcon);
  for (const [, text] of read) digest.update(text);
  const base = `${at}/${digest.update(also).digest('base64url').slice(0, 12)}`;
  const paths = { icon: `${base}/icon.svg`, waiting: `${base}/waiting.svg`, style: `${base}/desk.css` };
  const files = new Map<string, Asset>([
    [`${at}/icon.svg`, { type: 'image/svg+xml', body: icon, lasting: false }],
    [paths.icon, lasting('image/svg+xml', icon)],
    [paths.waiting, lasting('image/svg+xml', waitingIcon)],
    [paths.style, lasting('text/css; charset=utf-8', style)],
    ...read.map(([name, body]) => [`${base}/${name}`, lasting('text/javascript; charset=utf-8', body)] as const),
  ]);
  return { base, paths, files };
}

/** The desk's files. @param from - the folder of the bundled client scripts */
export function loadAssets(from: URL): Assets {
  const { base, paths: own, files } = shared(from, '/assets', deskScripts, JSON.stringify(texts.offline));
  const paths: AssetPaths = {
    ...own,
    script: `${base}/desk.js`,
    usedLinkScript: `${base}/again.js`,
    worker: `${base}/worker.js`,
    manifest: `${base}/desk.webmanifest`,
  };
  const { title, lines } = texts.offline;
  const offline = noticePage(title, lines, paths, { modules: [`${base}/offline.js`] });
  files.set(`${base}/offline.html`, lasting('text/html; charset=utf-8', offline));
  const app = { place: texts.desk, description: texts.installed, at: '/' };
  files.set(paths.manifest, lasting('application/manifest+json', manifest(paths.icon, app)));
  files.set(paths.worker, { ...files.get(paths.worker)!, scope: '/' });
  return { paths, get: path => files.get(path) };
}

/** The files of persons' inboxes. @param at - their path, without a slash at its end */
export function loadPersonAssets(from: URL, at: string): Assets<PersonAssetPaths> {
  const words = JSON.stringify([personTexts.offline, personTexts.installed]);
  const { base, paths: own, files } = shared(from, at, personScripts, words);
  const scope = at.slice(0, at.lastIndexOf('/')) || '/';
  const paths: PersonAssetPaths = {
    ...{ ...own, scope, script: `${base}/person.js`, findScript: `${base}/find-session.js` },
    worker: `${base}/inbox-worker.js`,
    manifest: `${base}/inbox.webmanifest`,
    picture: `${base}/app.png`,
  };
  const { title, lines } = personTexts.offline;
  const offline = noticePage(title, lines, paths, { place: personTexts.place, modules: [`${base}/offline.js`] });
  files.set(`${base}/offline.html`, lasting('text/html; charset=utf-8', offline));
  const app = { place: personTexts.place, description: personTexts.installed, at: scope, picture: paths.picture };
  files.set(paths.manifest, lasting('application/manifest+json', manifest(paths.icon, app)));
  files.set(paths.picture, lasting('image/png', appPicture));
  files.set(paths.worker, { ...files.get(paths.worker)!, scope });
  return { paths, get: path => files.get(path) };
}

/** Serves the files. @param at - the path below which they are */
export function assetRoutes(app: Hono, at: string, assets: Pick<Assets, 'get'>): void {
  // Nothing in these files is secret, so their length may be seen.
  app.use(`${at}/*`, compress());
  app.get(`${at}/*`, context => {
    const asset = assets.get(context.req.path);
    if (!asset) return context.notFound();
    context.header('content-type', asset.type);
    if (asset.scope !== undefined) context.header('service-worker-allowed', asset.scope);
    context.header('cache-control', asset.lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
    return context.body(asset.body);
  });
}
