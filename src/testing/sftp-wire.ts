import ssh2, { type ConnectConfig, type SFTPWrapper } from 'ssh2';

/** The plain protocol, for requests that well-behaved clients do not make. */
export async function withWire<T>(
  access: ConnectConfig,
  work: (sftp: SFTPWrapper, connection: ssh2.Client) => Promise<T>,
): Promise<T> {
  const connection = new ssh2.Client();
  await new Promise<void>((resolve, reject) => {
    connection.on('ready', resolve).on('error', reject).connect(access);
  });
  try {
    const sftp = await new Promise<SFTPWrapper>((resolve, reject) =>
      connection.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))),
    );
    return await work(sftp, connection);
  } finally {
    connection.end();
  }
}

/** The error's message of a callback-style call, or undefined when it succeeded. */
export const errorOf = (
  call: (done: (error?: Error | null) => void) => unknown,
): Promise<string | undefined> =>
  new Promise((resolve) => call((error) => resolve(error ? error.message : undefined)));
