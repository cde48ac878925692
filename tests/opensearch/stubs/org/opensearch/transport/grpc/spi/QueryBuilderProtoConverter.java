package org.opensearch.transport.grpc.spi;

/** Empty: k-NN 3.5 implements it, no artifact has it, and no gRPC server runs here. */
public interface QueryBuilderProtoConverter {
    default void setRegistry(QueryBuilderProtoConverterRegistry registry) {}
}
