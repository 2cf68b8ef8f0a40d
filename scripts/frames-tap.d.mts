export function tapMemory(transport: { readonly prototype: object }): void;
