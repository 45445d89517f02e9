import type { FastifyRequest } from 'fastify';

/** Whether a request is for what the outside need not reach: administration, and the figures of the process. */
export const isForOperators = ({ routeOptions: { url = '' } }: FastifyRequest): boolean =>
  url.startsWith('/admin/') || url === '/metrics';
