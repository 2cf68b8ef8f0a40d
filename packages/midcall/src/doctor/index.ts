export type { Report } from './report.ts';
export { type DoctorOptions, doctorServer } from './server.ts';
