export { checkDirectories } from './directories.ts';
export { copySamples } from './samples.ts';
export { type NotesOptions, notesServer } from './server.ts';
export { directoriesInForce, readSettings, settingsPath } from './settings.ts';
