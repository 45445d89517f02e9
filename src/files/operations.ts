import type { Operation } from '../platform/http/operation.ts';
import { acceptHostKey } from './api/accept-host-key.ts';
import { deleteRepository } from './api/delete-repository.ts';
import { downloadFile } from './api/download-file.ts';
import { listRegisteredRepositories } from './api/list-registered-repositories.ts';
import { listRepositories } from './api/list-repositories.ts';
import { registerRepository } from './api/register-repository.ts';
import { setDefaultRepository } from './api/set-default-repository.ts';
import { testRepository } from './api/test-repository.ts';
import { updateRepository } from './api/update-repository.ts';
import { uploadFile } from './api/upload-file.ts';

export const filesOperations: readonly Operation[] = [listRepositories, uploadFile, downloadFile];

/** The administration of repositories, below /admin/v1. */
export const repositoriesAdministration: readonly Operation[] = [
  listRegisteredRepositories,
  registerRepository,
  updateRepository,
  deleteRepository,
  testRepository,
  acceptHostKey,
  setDefaultRepository,
];
