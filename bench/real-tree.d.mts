export function fillWithRealNotes(directory: string, least: number): number;
