// An answer that goes wrong on purpose.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Behaviour } from '../behaviour.ts';
import type { Timeline } from '../timeline.ts';

const badGateway = '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>';

/** Answers as the behaviour says; what it says nothing of is answered with the given body. */
export async function answerAs(
  { timeline }: { timeline: Timeline },
  { answer, answerDelayMs }: Pick<Behaviour, 'answer' | 'answerDelayMs'>,
  body: object,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (answerDelayMs) await new Promise<void>((resume) => timeline.after(answerDelayMs, resume));
  switch (answer) {
    case undefined:
      return body;
    case 'garbage':
      return reply.type('application/json').send(JSON.stringify(body).slice(0, -1));
    case 'bad-gateway':
    case 'bad-gateway-accepted':
      return reply.code(502).type('text/html').send(badGateway);
    case 'lost':
    case 'closed-before':
      reply.hijack();
      request.raw.socket.destroy();
      return reply;
    default:
      reply.hijack(); // and nothing more: the client waits until it has waited enough
      return reply;
  }
}
