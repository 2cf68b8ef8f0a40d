export type { Entry, FileHandle, FileStat, Files, Guarantee, Root } from './files.ts';
