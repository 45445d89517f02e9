import type { Operation } from '../platform/http/operation.ts';
import { createImmediateImport } from './api/create-immediate-import.ts';
import { createScheduledImport } from './api/create-scheduled-import.ts';
import { deleteFile } from './api/delete-file.ts';
import { deleteImport } from './api/delete-import.ts';
import { getImport } from './api/get-import.ts';
import { listImportLogs } from './api/list-import-logs.ts';
import { listImportPeople } from './api/list-import-people.ts';
import { listImports } from './api/list-imports.ts';
import { modifyImportSchedule } from './api/modify-import-schedule.ts';
import { pauseImport } from './api/pause-import.ts';
import { previewImport } from './api/preview-import.ts';
import { resumeImport } from './api/resume-import.ts';
import { tryImport } from './api/try-import.ts';

export const importsOperations: readonly Operation[] = [
  getImport,
  createImmediateImport,
  createScheduledImport,
  previewImport,
  tryImport,
  listImports,
  listImportLogs,
  listImportPeople,
  pauseImport,
  resumeImport,
  modifyImportSchedule,
  deleteImport,
  deleteFile,
];
