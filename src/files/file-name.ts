import { posix } from 'node:path';

/** Bytes of one name and of a whole path: what Linux file systems take, and a bound on our own work. */
const maxNameBytes = 255;
const maxPathBytes = 1024;

/**
 * The rule that a file's name breaks, or undefined. Names may hold sub-directories, separated by `/`.
 * Refused are the names that would mean another place or show as something else: control characters (a log line,
 * a listing), back-slashes (a separator on Windows clients), and what the file system cannot keep.
 */
export function nameFault(path: string): string | undefined {
  if (path === '') return 'is empty';
  // A lone surrogate would be written as another name than the one requested.
  if (/\p{Surrogate}/u.test(path)) return 'is not well-formed Unicode';
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a back-slash';
  if (Buffer.byteLength(path) > maxPathBytes) return `is longer than ${maxPathBytes} bytes`;
  if (path.split('/').some((part) => Buffer.byteLength(part) > maxNameBytes)) {
    return `holds a name longer than ${maxNameBytes} bytes`;
  }
  return undefined;
}

/** Whether a name looks like that of a file which the service has not finished writing. */
export const isTemporaryFile = (name: string): boolean => name.startsWith('.') && name.endsWith('.tmp');

/** Returns a file name's fault: it must not leave the repository. (SFTP's `..` stops at the root instead.) */
export function fileNameFault(name: string): string | undefined {
  const fault = nameFault(name);
  if (fault) return fault;
  if (name.startsWith('/')) return 'starts at the root of the file system';
  const parts = name.split('/');
  if (parts.includes('..')) return "leaves the repository ('..')";
  if (parts.some((part) => part === '' || part === '.')) return 'holds an empty part';
  return undefined;
}

/** The absolute path of a name as seen from inside a root: `../../etc` is `/etc` of that root. Pure; no disk. */
export function insideRoot(name: string): string {
  const path = posix.normalize(`/${name}`);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
