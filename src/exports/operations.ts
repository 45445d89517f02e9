import type { Operation } from '../platform/http/operation.ts';
import { createExport } from './api/create-export.ts';
import { exportStatistics } from './api/export-statistics.ts';
import { getExport } from './api/get-export.ts';
import { getExportState } from './api/get-export-state.ts';
import { getLastExportState } from './api/get-last-export-state.ts';
import { listExports } from './api/list-exports.ts';
import { listFiles } from './api/list-files.ts';

export const exportsOperations: readonly Operation[] = [
  createExport,
  getLastExportState,
  getExportState,
  getExport,
  listExports,
  exportStatistics,
  listFiles,
];
