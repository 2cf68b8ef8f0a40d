export { checkDirectories } from './directories.ts';
export { readImportConfig } from './import-config.ts';
export { copySamples, ownSamples, sampleTries } from './samples.ts';
export { type NotesOptions, notesServer } from './server.ts';
export { directoriesInForce, readSettings, settingsPath } from './settings.ts';
export { readSignInConfig, type SignInConfig } from './sign-in-config.ts';
