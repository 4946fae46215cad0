// How the parts of an installation are called; the operator's defaults are the same.
export const NAMESPACE = "farrier-system";
export const NAME = "farrier";
export const WEBHOOK_SERVICE = "farrier-webhook";
export const CERTIFICATE_SECRET = "farrier-certificates";
export const IMAGE = "farrier:0.1.0";
export const WEBHOOK_PORT = 9443;
export const HTTP_PORT = 8080;
export const labels = { "app.kubernetes.io/name": NAME };
