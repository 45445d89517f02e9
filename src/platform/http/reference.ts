import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Serves the OpenAPI document at /openapi.json and an interactive reference at /docs, nothing from outside. */
export async function addReference(
  server: FastifyInstance,
  document: Record<string, unknown>,
): Promise<void> {
  // The plugin wants its own document type; ours is checked against OpenAPI's schema by a test.
  await server.register(swagger, { mode: 'static', specification: { document: document as never } });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    // An installation may be served by plain HTTP; with this directive a browser would request the scripts over HTTPS.
    transformStaticCSP: (policy) => policy.replace(/\s*upgrade-insecure-requests;?/, ''),
    theme: { title: 'Facteur: API reference' },
    // The base layout has no bar with a maker's logo and a field for other documents.
    uiConfig: { layout: 'BaseLayout', docExpansion: 'none', defaultModelsExpandDepth: 0 },
  });
  server.get('/openapi.json', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send(document),
  );
  server.get('/', async (_request, reply) => reply.redirect('/docs'));
}
