/** The API reference: every entry of the packages (each `typedoc.json`), from its source. A warning fails (`npm run docs`). */
/** @type {Partial<import('typedoc').TypeDocOptions>} */
export default {
  entryPointStrategy: 'packages',
  entryPoints: ['packages/core', 'packages/server', 'packages/host', 'packages/testing', 'packages/inbox'],
  out: 'api',
  name: 'Midcall',
  readme: 'none',
  treatWarningsAsErrors: true,
  validation: { invalidLink: true },
  packageOptions: {
    excludePrivate: true,
    disableSources: true,
    skipErrorChecking: true, // tsc does that
    requiredToBeDocumented: ['Class', 'Interface', 'TypeAlias', 'Variable'],
    validation: { invalidLink: true, notDocumented: true, notExported: true, rewrittenLink: true },
    tsconfig: 'tsconfig.json',
  },
};
