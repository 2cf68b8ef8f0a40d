/** The folder of the bundled client scripts: two folders below the package, as each source and each bundled file is. */
export const clientFolder = new URL('../../script/', import.meta.url);
