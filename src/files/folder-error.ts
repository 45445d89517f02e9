/** Why a request on a folder was refused; `code` is what an SFTP server answers with. */
export class FolderError extends Error {
  readonly code: 'missing' | 'denied' | 'failed' | 'quota';
  constructor(code: FolderError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
