/** The API reference: every subpath of `package.json`'s exports, from its source. A warning fails (`npm run docs`). */
import { readFileSync } from 'node:fs';

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  entryPoints: Object.values(exports).map(({ default: built }) =>
    built.replace('./dist/', 'src/').replace(/\.js$/u, '.ts'),
  ),
  tsconfig: 'tsconfig.build.json',
  basePath: 'src',
  out: 'api',
  name: 'Midcall',
  readme: 'none',
  excludePrivate: true,
  disableSources: true,
  treatWarningsAsErrors: true,
  validation: { invalidLink: true, notExported: true, rewrittenLink: true },
};
