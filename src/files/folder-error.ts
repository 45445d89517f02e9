/** Why a request on a folder was refused; `code` is what an SFTP server answers with. */
export class FolderError extends Error {
  readonly code: 'missing' | 'denied' | 'failed' | 'quota';
  constructor(code: FolderError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** The code of “permission denied” in the replies of SFTP servers. */
export const sftpDenied = 3;

/** Whether a folder or an SFTP server has refused a file permanently; a full disk, for example, may have room later. */
export function isDenied(error: unknown): boolean {
  if (error instanceof FolderError) return !/^(ENOSPC|EDQUOT|EIO|EMFILE|ENFILE)$/.test(error.message);
  return (error as { code?: unknown }).code === sftpDenied;
}
