export { copySamples, ownSamples, sampleTries } from './samples.ts';
export { type NotesOptions, notesServer } from './server.ts';
export { readImportConfig, readSignInConfig, type SignInConfig } from './service-files.ts';
export { checkDirectories, directoriesInForce, readSettings, settingsPath } from './settings.ts';
