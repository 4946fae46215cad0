# The image of the operator: Node, the program in one file, and nothing else; no shell, no packages, no root.
# The tests of this repository run the program from the file that `npm run bundle` writes; they do not build this image.
FROM node:26-slim AS build
WORKDIR /farrier
COPY . .
RUN npm run bundle
# Node with the libraries it is linked to, and the authorities of the web for registries.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates \
 && mkdir /image \
 && cp --parents --dereference $(ldd /usr/local/bin/node | grep -o '/[^ ]*') /usr/local/bin/node /etc/ssl/certs/ca-certificates.crt /image \
 && cp dist/farrier.mjs /image/farrier.mjs

FROM scratch
COPY --from=build /image /
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node", "/farrier.mjs"]
CMD ["run"]
