import type { PassThrough } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The open streams of events of a server; all end when it begins to close, or it would wait for their clients. */
export class EventStreams {
  readonly #open = new Set<PassThrough>();

  constructor(server: FastifyInstance) {
    server.addHook('preClose', async () => {
      for (const stream of this.#open) stream.end();
    });
  }

  /** Sends a stream, and destroys it with its connection. */
  send(stream: PassThrough, reply: FastifyReply): FastifyReply {
    this.#open.add(stream);
    stream.once('close', () => this.#open.delete(stream));
    reply.raw.once('close', () => stream.destroy());
    // The client may have disconnected while the stream was created: no event follows then.
    if (reply.raw.destroyed) stream.destroy();
    // nginx would collect events; other proxies leave this type alone.
    return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(stream);
  }
}
