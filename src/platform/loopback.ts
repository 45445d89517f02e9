/** Whether a host, of a URL or of a setting, names this machine only: nobody elsewhere can mean us by it. */
export function isLoopbackHost(host: string): boolean {
  return /^((.+\.)?localhost\.?|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
