export { AppDocuments, appHeaders } from './app-documents.ts';
export { formAppFrame, resultAppFrame } from './app-frame.ts';
export { readProposal } from './proposal.ts';
