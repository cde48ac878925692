package org.opensearch.transport.grpc.spi;

/** Empty: k-NN 3.5 names it at start, no artifact has it, and no gRPC server runs here. */
public interface QueryBuilderProtoConverterRegistry {}
