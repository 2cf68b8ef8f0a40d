export { closing, type StopOptions, type StopPart, stopKinds, stopParts } from './stop.ts';
