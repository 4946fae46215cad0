// Where kubectl shows another answer of the embedded server than of a real one, command by command, and why that is right. The
// test fails for a difference that is not listed here, and for one that is listed but gone.

export type Difference = {
  readonly command: string;
  readonly because: string;
  /** Every line that the embedded server gives is one of the real server's. */
  readonly isPart?: true;
};

const fewerKinds = "the embedded server serves the kinds that the operator, its users and its tests need";
const noKubelet = "the real server asks the kubelet of a node that does not exist; the embedded one asks a port";
const noStreams = "the embedded server has no containers to connect to, and says that it has no such path";
const firstSentences = "the embedded server keeps the first sentence of each description";

export const differences: readonly Difference[] = [
  { command: "api-versions", because: fewerKinds, isPart: true },
  { command: "api-resources -o wide --sort-by=name", because: fewerKinds, isPart: true },
  { command: "api-resources --namespaced=false --categories=api-extensions", because: fewerKinds, isPart: true },
  { command: "logs busy -n shop", because: noKubelet },
  { command: "logs busy -n shop --tail=1 --timestamps", because: noKubelet },
  { command: "exec busy -n shop -- true", because: noStreams },
  { command: "port-forward pod/busy 8080:80 -n shop", because: noStreams },
  { command: "explain ds.spec.updateStrategy.rollingUpdate", because: firstSentences },
  { command: "explain pod.spec.containers.imagePullPolicy", because: firstSentences },
];
