// Every path of the wire, and who answers it.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerAs } from './answer.ts';
import { callOf, type Handler, type Tenants } from './http.ts';
import { sendMessage } from './messages.ts';
import type { Simulation } from './simulation.ts';

export function addRoutes(app: FastifyInstance, simulation: Simulation, tenants: Tenants): void {
  for (const endpoint of ['messages', 'marketing_messages'] as const) {
    app.post(`/:id/${endpoint}`, (request: FastifyRequest, reply: FastifyReply) => {
      const { tenant, id, body } = callOf(simulation, tenants, request);
      const { answer, behaviour } = sendMessage(simulation, tenant, id, body, endpoint);
      return answerAs(simulation, behaviour, answer, request, reply);
    });
  }
}
export type { Handler };
