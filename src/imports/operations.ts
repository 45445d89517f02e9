import type { Operation } from '../platform/http/operation.ts';
import { createImmediateImport } from './api/create-immediate-import.ts';
import { getImport } from './api/get-import.ts';
import { listImports } from './api/list-imports.ts';

export const importsOperations: readonly Operation[] = [getImport, createImmediateImport, listImports];
