/** The API reference: every entry of the packages, from its source. A warning fails (`npm run docs`). */
import { readFileSync } from 'node:fs';

const libraries = ['core', 'server', 'host', 'testing'];
const entryPoints = libraries.flatMap(name => {
  const { exports } = JSON.parse(readFileSync(new URL(`packages/${name}/package.json`, import.meta.url), 'utf8'));
  return Object.values(exports)
    .filter(each => typeof each === 'object')
    .map(each => each.default.replace('./dist/', `packages/${name}/src/`).replace(/\.js$/u, '.ts'));
});

/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  entryPoints,
  tsconfig: 'tsconfig.json',
  basePath: 'packages',
  out: 'api',
  name: 'Midcall',
  readme: 'none',
  excludePrivate: true,
  disableSources: true,
  skipErrorChecking: true, // tsc does that
  treatWarningsAsErrors: true,
  // Types that only spell out another, and the insides of objects that are passed around whole.
  intentionallyNotExported: [
    'packages/server/src/connect/forms/item.ts:ItemValue',
    'packages/server/src/connect/forms/item.ts:MayBeAbsent',
    'packages/server/src/connect/oauth/client.ts:OAuthClient',
    'packages/server/src/connect/oauth/flows.ts:Flows',
    'packages/server/src/connect/vault/vault.ts:OAuthFlow',
    'packages/core/src/form/input.ts:Described',
    'packages/core/src/form/input.ts:Option',
    'packages/core/src/form/input.ts:RawFormValue',
    'packages/core/src/form/input.ts:ShorthandValue',
    'packages/core/src/form/secret-in.ts:Asking',
    'packages/core/src/form/wire.ts:Described',
    'packages/core/src/form/wire.ts:TitledOption',
    'packages/core/src/models/language-model.ts:ModelCall',
    'packages/core/src/models/language-model.ts:RawGeneration',
    'packages/server/src/roots/scope.ts:Scope',
    'packages/core/src/sampling/sampling-tool.ts:Validated',
    'packages/server/src/call.ts:Nothing',
    'packages/server/src/call.ts:Uncarried',
    'packages/host/src/web/form/draft.ts:Draft',
    'packages/core/src/store/entry.ts:SetOptions',
    'packages/server/src/midcall.ts:ArgsOf',
  ],
  requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Variable'],
  validation: { invalidLink: true, notDocumented: true, notExported: true, rewrittenLink: true },
};
