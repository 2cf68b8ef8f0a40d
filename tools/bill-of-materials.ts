/**
 * What of the repository's bill of materials is installed with one package. Pure.
 *
 * `npm sbom` describes the repository: asked for one workspace, it leaves out every package that a development dependency
 * uses as well, and names the repository as the root. So the bill of everything is taken, and what the package leads to is
 * kept.
 */

/** The members of a CycloneDX document that are looked at here. */
export interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; readonly name: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
}

/** The members of a package.json that say what is installed with it. */
export interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** @returns what npm installs with a package: its dependencies, and the peers that are not optional */
export const needs = ({
  dependencies = {},
  peerDependencies = {},
  peerDependenciesMeta = {},
}: Omit<Manifest, 'name'>): string[] => [
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies).filter(name => !peerDependenciesMeta[name]?.optional),
];

/** npm names workspaces by their folders, but refers to them by their names. */
const nameIn = (ref: string): string => ref.slice(0, ref.lastIndexOf('@'));

/**
 * @param all - the bill of the repository
 * @param name - the package that is released
 * @param own - the manifests of the repository's packages; npm takes their optional peers for dependencies
 * @returns the bill of the package and of all that is installed with it
 */
export function shipped(all: BillOfMaterials, name: string, own: readonly Manifest[]): BillOfMaterials {
  const named = all.components.map(each => ({ ...each, name: nameIn(each['bom-ref']) }));
  const leadsTo = new Map(
    all.dependencies.map(({ ref, dependsOn }) => {
      const manifest = own.find(each => each.name === nameIn(ref));
      const wanted = manifest && new Set(needs(manifest));
      return [ref, dependsOn.filter(each => !wanted || wanted.has(nameIn(each)))];
    }),
  );
  const component = named.find(each => each.name === name);
  if (!component) throw new Error(`The bill of the repository has no ${name}.`);
  const kept = new Set([component['bom-ref']]);
  for (const ref of kept) for (const next of leadsTo.get(ref) ?? []) kept.add(next);
  return {
    ...all,
    metadata: { ...all.metadata, component },
    components: named.filter(each => each !== component && kept.has(each['bom-ref'])),
    dependencies: [...kept].map(ref => ({ ref, dependsOn: leadsTo.get(ref) ?? [] })),
  };
}
